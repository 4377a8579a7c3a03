#!/usr/bin/env python3
"""Checks schedule files of ccsched and the lower bounds in them. It shares no code with ccsched, needs nothing but
Python 3.9, and counts in exact integers.

    scripts/check_bounds.py FILE...           check; - is the standard input
    scripts/check_bounds.py --forge FILE...   also forge every file in many ways, and check that it is refused

The schedule is replayed. A bound is proved if the argument of its name (docs/model.md, "Bounds"), recomputed from
the network, the model and the certificate, gives at least the steps that it claims. Exit status: 0 every schedule
is valid and every certified bound proved, 1 something is refused, 2 a file cannot be read.
"""
import json
import sys

sys.dont_write_bytecode = True  # no folder beside the sources

from checker import forgery  # noqa: E402
from checker.bounds import check_bounds, model_of  # noqa: E402
from checker.ground import Refused  # noqa: E402
from checker.lengths import span  # noqa: E402
from checker.schedule import check_schedule  # noqa: E402

# What a file of another shape leads to.
NO_SCHEDULE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def once(pairs):
    """An object whose keys differ; Python would keep the last of two."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an object has a key twice")
    return dict(pairs)


def read(path):
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as stream:
        return json.load(stream, object_pairs_hook=once)


def check(file):
    """Checks a file; returns its model, the number of transfers and the proved bounds."""
    model = model_of(file)
    return model, check_schedule(file, model), check_bounds(file, model)


def verdict(file):
    """Why a file is refused, or None."""
    try:
        check(file)
    except (Refused, *NO_SCHEDULE) as why:
        return f"{type(why).__name__}: {why}"
    return None


def line(file, transfers, proved):
    steps, (best, name) = len(file["steps"]), max(proved, default=(0, "none"), key=lambda bound: bound[0])
    has, what = steps, "steps"
    if any("bytes" in bound for bound in file.get("bounds", [])):
        has, what = span(file), "bytes, timed" if file["model"].get("timing") == "timed" else f"bytes in {steps} steps"
    above = "at the bound" if best == has else f"{has - best} above the bound"
    above = "optimal" if best == has and what == "steps" else above
    bounds = f"{len(proved)} bounds proved, the largest {best} ({name})"
    return f"valid: {has} {what}, {transfers} transfers, {bounds}, {above}"


def main(arguments):
    forge = arguments[:1] == ["--forge"]
    paths = arguments[1:] if forge else arguments
    if not paths or paths[0].startswith("--") or "-h" in paths:
        print(__doc__.strip(), file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    status = 0
    for path in paths:
        try:
            file = read(path)
            model, transfers, proved = check(file)
            print(f"{path}: {line(file, transfers, proved)}")
            if forge:
                print(f"{path}: {forgery.trial(file, model, verdict)}")
        except Refused as why:
            status = max(status, 1)
            # With escapes: a name in a file may hold a line break.
            print(f"{path}: refused: {str(why)!r}")
        except NO_SCHEDULE as why:
            status = 2
            print(f"{path}: no schedule file: {type(why).__name__}: {str(why)!r}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
