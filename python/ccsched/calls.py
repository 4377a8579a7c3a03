"""What the package does: solve, verify, bound, topology."""

from __future__ import annotations

import csv
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Union

from . import _native, networks
from .networks import Network, NetworkLike
from .options import words
from .schedule import Bound, Schedule

# The traffic of a problem: a file, or tuples of a source, a destination, and bytes or none.
Pairs = Union[str, Path, Iterable[Sequence[object]]]


def solve(
    network: NetworkLike, collective: str | None = None, *, pairs: Pairs | None = None,
    start_from: Schedule | None = None, progress: Callable[[Schedule], object] | None = None,
    **options: Any,
) -> Schedule:
    """Designs a schedule with as few steps as can be found, or of the least time if the pairs have
    different lengths; it is verified.

    Args:
        network: ``"torus:4x4"``, a file, a networkx graph, an adjacency matrix, a Network.
        collective: ``"broadcast"``, ``"all-gather"``, ``"MPI_Alltoall"``, ..; all-to-all by default.
        pairs: the traffic, instead of a collective: a file, tuples ``(source, destination)`` or
            ``(source, destination, bytes)``.
        start_from: a Schedule of the problem to begin with; for the least time the lengths and pairs
            may be others.
        progress: called with each better Schedule; it may raise ``StopIteration`` to end the search.
        **options: those of ``ccsched solve``: ``time_limit=10`` (seconds), ``islands=4``,
            ``seed=1``, ``switching="sf"``, ``timed=True``, ``minimize="steps"``, ``routing="slack:1"``, ``fail_link=["0-1"]``,
            ``engine="hgsa"``, ``set={"hgsa": {"hot": 0.3}}``, ..

    Returns:
        A Schedule. An interrupt from the keyboard ends the search, and the best so far is returned.

    Raises:
        Error: wrong input; no schedule was found.
        KeyboardInterrupt: the search was interrupted before there was a schedule.
    """
    begin = start_from.to_json() if start_from is not None else None
    heard = _hearing(progress) if progress is not None else None
    with _problem(network, collective, pairs, options) as given:
        text, notices, about = _native.design(given, begin, heard)
    for notice in notices:
        warnings.warn(notice, stacklevel=2)
    reason, lower_bound, seconds, _ = about
    if text is None:
        bound = f"; no schedule has fewer than {lower_bound} steps" if lower_bound else ""
        raise _native.Error(f"no schedule was found: {reason}{bound}")
    return Schedule(text, reason=reason, seconds=seconds)


def _hearing(progress: Callable[[Schedule], object]) -> Callable[[str], object]:
    return lambda text: progress(Schedule(text))


def bound(
    network: NetworkLike, collective: str | None = None, *, pairs: Pairs | None = None,
    **options: Any,
) -> list[Bound]:
    """The lower bounds on the number of steps, the largest first, and those in bytes where the pairs
    have lengths.

    Args:
        network, collective, pairs, **options: as for :func:`solve`.

    Returns:
        A list of :class:`Bound`: ``name``, ``steps``, ``about`` (the bottleneck), ``bytes``.
    """
    with _problem(network, collective, pairs, options) as given:
        return [Bound(*row) for row in _native.lower_bounds(given)]


def verify(schedule: Schedule | str | Path) -> list[str]:
    """The rules that a schedule violates, as texts; none if it is valid.

    Args:
        schedule: a Schedule, or the name of a file.
    """
    if not isinstance(schedule, Schedule):
        schedule = Schedule.load(schedule)
    return _native.violations(schedule.to_json())


def topology(network: NetworkLike, **reading: Any) -> Network:
    """The :class:`Network` of a name, a file, a networkx graph or an adjacency matrix.

    Args:
        **reading: how a file is understood: ``per_node=4``, ``routes="tables.lft"``,
            ``one_way=True``, ..
    """
    return networks.load(network, **reading)


class _problem(ExitStack):
    """The words of a problem; graphs and pairs are files as long as it is used."""

    def __init__(
        self, network: NetworkLike, collective: str | None, pairs: Pairs | None,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__()
        self._given = network, collective, pairs, options

    def __enter__(self) -> list[str]:  # type: ignore[override]
        super().__enter__()
        network, collective, pairs, options = self._given
        given = [f"--topology={self.enter_context(networks.spec(network))}"]
        if collective is not None:
            given.append(f"--collective={collective}")
        if pairs is not None:
            given.append(f"--pairs={self._file(pairs)}")
        return given + words(options)

    def _file(self, pairs: Pairs) -> str:
        if isinstance(pairs, (str, Path)):
            return str(pairs)
        rows = [tuple(row) for row in pairs]
        folder = self.enter_context(tempfile.TemporaryDirectory(prefix="ccsched"))
        path = Path(folder) / "pairs.csv"
        heads = ("source", "destination", "bytes")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(heads[:max(map(len, rows), default=2)])
            writer.writerows(rows)
        return str(path)


__all__ = ["Network", "bound", "solve", "topology", "verify"]
