"""Options as the words of the command line."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._native import Error

# Options of `ccsched solve` about its files and its terminal, and what to use instead.
_OF_THE_PROGRAM = {
    "output": "Schedule.save", "force": "Schedule.save", "json": "Schedule.data",
    "table": "print(schedule)", "progress": "a function", "from": "start_from",
    "topology": "the first argument", "collective": "the second argument",
}
# These have no counterpart here.
_WITHOUT = ["rank_file", "proof", "trace", "checkpoint", "checkpoint_every", "resume",
            "wall_margin", "quiet", "verbose", "help"]
# Lists whose parts stand in one word, with commas between.
_JOINED = ["senders", "receivers", "host_list"]


def words(options: Mapping[str, Any]) -> list[str]:
    """The words of options given as keywords; ``None`` and ``False`` are options not given."""
    result: list[str] = []
    for name, value in options.items():
        if name in _OF_THE_PROGRAM:
            raise Error(f"{name}: an option of the program; use {_OF_THE_PROGRAM[name]}")
        if name in _WITHOUT:
            raise Error(f"{name}: an option of the program alone")
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            result.append(flag)
            continue
        if name == "set" and isinstance(value, dict):
            value = [_settings(engine, of) for engine, of in value.items()]
        if name in _JOINED and not isinstance(value, str):
            value = _line(value)
        several = isinstance(value, (list, tuple, set, frozenset))
        for one in value if several else [value]:
            # One word, so that a value may begin with a dash.
            result.append(f"{flag}={_text(one)}")
    return result


def _settings(engine: str, values: Mapping[str, Any]) -> str:
    """Parameters of an engine: ``{"hot": 0.3}`` for hgsa is ``hgsa:hot=0.3``."""
    return f"{engine}:" + ",".join(f"{name}={_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _line(names: Iterable[object]) -> str:
    """Names as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([str(name) for name in names])
    return line.getvalue()
