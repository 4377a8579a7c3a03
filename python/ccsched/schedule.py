"""Schedules: steps, tables, arrays, pictures."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native

if TYPE_CHECKING:
    import numpy
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


class Bound(NamedTuple):
    """A lower bound, and the bottleneck that it is based on: on the number of steps, or, where messages
    have lengths, on the bytes that pass one channel meanwhile. The other one is None."""

    name: str
    steps: int | None
    about: str
    bytes: int | None = None


class Transfer(NamedTuple):
    """A message on its way in one step.

    ``message`` is a dict of ``source``, ``destination``, ``root``, .. as in the file; ``path`` the
    names of the vertices it passes; ``channels`` their numbers in the network. ``start`` is its start
    in a timed schedule, in bytes; it ends ``message["bytes"]`` later."""

    message: dict[str, Any]
    path: list[str]
    channels: list[int]
    start: int | None = None


class Schedule:
    """A schedule: a sequence of steps, each a list of :class:`Transfer`.

    ``len(schedule)`` is the number of steps, ``schedule[0]`` the first step. A timed schedule has one
    step, with all transfers.

    Attributes:
        data: the content of the schedule's file as a dict (``docs/model.md`` has its format).
        reason: why the search ended; None for a schedule from a file.
        seconds: the time of the search.
    """

    def __init__(
        self, text: str, *, reason: str | None = None, seconds: float | None = None,
    ) -> None:
        self._text = text
        self.data: dict[str, Any] = json.loads(text)
        self.reason = reason
        self.seconds = seconds

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Schedule:
        """The schedule in a file."""
        return cls(_native.loaded(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the schedule's file, which every command of ``ccsched`` reads."""
        Path(path).write_text(self._text, encoding="utf-8")

    def to_json(self) -> str:
        """The text of the schedule's file."""
        return self._text

    @cached_property
    def steps(self) -> list[list[Transfer]]:
        """The steps, lists of :class:`Transfer`."""
        ends = [(c["from"], c["to"]) for c in self.data["network"]["channels"]]

        def transfer(record: dict[str, Any]) -> Transfer:
            channels = record["channels"]
            path = [ends[channels[0]][0], *(ends[c][1] for c in channels)]
            return Transfer(record["message"], path, channels, record.get("at"))

        return [[transfer(record) for record in step] for step in self.data["steps"]]

    def __len__(self) -> int:
        return len(self.data["steps"])

    def __getitem__(self, step: int) -> list[Transfer]:
        return self.steps[step]

    def __iter__(self) -> Iterator[list[Transfer]]:
        return iter(self.steps)

    @property
    def collective(self) -> str:
        """Its name, as in the file: ``aas`` is an all-to-all."""
        return str(self.data["model"]["collective"])

    @property
    def is_timed(self) -> bool:
        """Whether transfers have starts in place of steps."""
        return bool(self.data["model"].get("timing") == "timed")

    @property
    def bytes(self) -> int | None:
        """The bytes that pass one channel meanwhile, where messages have lengths: the end of a timed
        schedule, or the longest messages of all steps together."""
        if "lengths" not in self.data["model"]:
            return None
        ends = [[(t.start or 0) + t.message["bytes"] for t in step] for step in self]
        return sum(max(step, default=0) for step in ends)

    @property
    def lower_bound(self) -> int:
        """No schedule has fewer steps."""
        return max((bound["steps"] for bound in self.data["bounds"] if "steps" in bound), default=0)

    @property
    def lower_bound_bytes(self) -> int:
        """No schedule has fewer :attr:`bytes`."""
        return max((bound["bytes"] for bound in self.data["bounds"] if "bytes" in bound), default=0)

    @property
    def is_optimal(self) -> bool:
        """Whether no schedule has fewer steps, or bytes if those are bounded, under the rules of
        ``data["model"]``."""
        has_least_steps = self.is_timed or len(self) == self.lower_bound
        return has_least_steps and self.lower_bound_bytes in (0, self.bytes)

    def table(self) -> dict[str, list[Any]]:
        """Columns of equal length, a row a transfer: ``pandas.DataFrame(schedule.table())``.

        Columns: ``step`` (from 0), those of the message (``source``, ``destination``, ..), ``from``,
        ``to`` (ends of the transfer), ``hops`` (channels), ``start`` (if timed), ``path``.
        """
        rows = [(number, transfer) for number, step in enumerate(self) for transfer in step]
        names = dict.fromkeys(name for _, transfer in rows for name in transfer.message)
        columns: dict[str, list[Any]] = {"step": [number for number, _ in rows]}
        for name in names:
            columns[name] = [transfer.message.get(name) for _, transfer in rows]
        columns["from"] = [transfer.path[0] for _, transfer in rows]
        columns["to"] = [transfer.path[-1] for _, transfer in rows]
        columns["hops"] = [len(transfer.channels) for _, transfer in rows]
        if self.is_timed:
            columns["start"] = [transfer.start for _, transfer in rows]
        columns["path"] = [" ".join(transfer.path) for _, transfer in rows]
        return columns

    def use(self) -> NDArray[numpy.int_]:
        """A numpy array of integers, shape (steps, channels): transfers on a channel in a step."""
        import numpy

        use = numpy.zeros((len(self), len(self.data["network"]["channels"])), dtype=int)
        for number, step in enumerate(self):
            for transfer in step:
                # A path uses no channel twice.
                use[number, transfer.channels] += 1
        return use

    def transfers(self) -> NDArray[numpy.int_]:
        """A numpy array of integers, shape (transfers, 4): step, first and last vertex, channels.

        Vertices are numbers in the order of the network.
        """
        import numpy

        number = {v["name"]: i for i, v in enumerate(self.data["network"]["vertices"])}
        rows = [(at, number[t.path[0]], number[t.path[-1]], len(t.channels))
                for at, step in enumerate(self) for t in step]
        return numpy.array(rows, dtype=int).reshape(-1, 4)

    def plot(self, step: int = 0, ax: Axes | None = None) -> Axes:
        """Draws a step, from 0, by matplotlib; returns the axes. A colour is a message's source."""
        from .plot import plot

        return plot(self, self[step], _native.places(self._text), f"step {step + 1}", ax)

    def picture(self, step: int | None = None) -> str:
        """A picture (SVG) of a step, from 0, or of all."""
        return _native.picture(self._text, step)

    def page(self) -> str:
        """A page (HTML) that plays the schedule."""
        return _native.page(self._text)

    def _repr_svg_(self) -> str | None:
        return self.picture() if len(self) <= 12 else None

    def _repr_html_(self) -> str:
        page = html.escape(self.page(), quote=True)
        return (f'<iframe srcdoc="{page}" width="100%" height="640" style="border: 0" '
                f'title="{html.escape(repr(self), quote=True)}"></iframe>')

    def __str__(self) -> str:
        return _native.table(self._text, 100)

    def __repr__(self) -> str:
        least = f"{self.lower_bound_bytes} bytes" if self.is_timed else self.lower_bound
        bound = "optimal" if self.is_optimal else f"at least {least}"
        length = f"{self.bytes} bytes" if self.is_timed else f"{len(self)} steps"
        return (f"<Schedule of {self.collective} on {self.data['network']['name']}: "
                f"{length}, {bound}>")
