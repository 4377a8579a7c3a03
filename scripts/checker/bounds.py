"""The bounds of a schedule file, each by the argument of its name."""
from . import communicators, lengths, sums
from .counting import cut, distance, eccentricity, journeys, leaving, pipeline, ports
from .ground import Refused, natural, need
from .model import Model, Network
from .spreading import entries, growth, spread
from .weighing import congestion

ARGUMENTS = {f.__name__: f for f in (ports, growth, eccentricity, journeys, pipeline, distance, cut,
                                       spread, entries, leaving, congestion)}
# Those that count a message once where it arrives or crosses a cut hold where switches copy; others count every copy.
COPIED = {"ports", "cut", "late"}
# Those of groups together.
OF_GROUPS = {f.__name__: f for f in (communicators.ports, communicators.distance, communicators.cut, eccentricity)}
# Those of sums of groups together.
OF_SUM_GROUPS = {"volume": communicators.sums_volume, "ports": communicators.sums_ports, "cut": communicators.sums_cut}
# Those of an all-reduce.
OF_SUMS = {f.__name__: f for f in (sums.volume, sums.late, sums.cut, sums.partition)}
# Those of one message, where messages join.
OF_JOINED = {f.__name__: f for f in (growth, eccentricity, spread)}


def model_of(file):
    need(file["format"] == "ccsched-schedule/1", f"the format is {file['format']!r}")
    model = Model(file["model"], Network(file["network"]))
    model.file = file
    if model.collective in sums.REDUCTIONS:
        record, network = sums.backwards(file["model"], file["network"])
        model.backwards = Model(record, Network(network))
        model.backwards.file = {"model": record, "network": network}
    return model


def value(model, bound):
    """The steps that the argument of a bound gives."""
    model, group = model.backwards or model, bound.get("certificate", {}).get("group")
    if group is not None:
        need(model.groups, "a `group` is for groups side by side")
        record, network = communicators.alone(model.file["model"], group), model.file["network"]
        if record["collective"] in sums.REDUCTIONS:
            record, network = sums.backwards(record, network)
        model = Model(record, Network(communicators.useful(Model(record, Network(network)), network)))
    arguments = OF_SUM_GROUPS if model.sums and model.groups else OF_SUMS if model.sums else OF_JOINED if model.joins else OF_GROUPS if model.groups else ARGUMENTS
    if model.adds:  # an all-reduce of one part has both
        arguments = {**OF_JOINED, **OF_SUMS}
    if model.multicast:
        arguments = {name: argument for name, argument in arguments.items() if name in COPIED}
    need(bound["name"] in arguments, f"no certified bound is named {bound['name']!r}")
    certificate = bound.get("certificate", {})
    need(isinstance(certificate, dict), "`certificate` is no object")
    of_one = model.joins and bound["name"] in OF_JOINED
    need(not of_one or "vertex" in certificate, "a bound of one message names its source")
    return arguments[bound["name"]](model, certificate)


def check_bounds(file, model):
    """Checks all bounds; returns the steps and names of those that are proved, or their bytes if some are in bytes."""
    proved, in_bytes = [], []
    for bound in file.get("bounds", []):
        if "bytes" in bound:
            if lengths.check(file, model, bound, ARGUMENTS):
                in_bytes.append((bound["bytes"], bound["name"]))
            continue
        need(not model.timed, "a bound in steps of a timed schedule")
        steps, name = natural(bound["steps"], "`steps`"), bound["name"]
        need(steps <= len(file["steps"]), f"bound {name!r} claims {steps} steps, the schedule has fewer")
        need(type(bound["certified"]) is bool, "`certified` is true or false")
        if bound["certified"]:
            try:
                found = value(model, bound)
            except Refused as why:
                raise Refused(f"bound {name!r}: {why}") from None
            need(steps <= found, f"bound {name!r} claims {steps} steps, its argument gives {found}")
            proved.append((steps, name))
    return in_bytes or proved
