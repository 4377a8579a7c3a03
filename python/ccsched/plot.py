"""Steps by matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .schedule import Schedule, Transfer


def plot(
    schedule: Schedule, step: Iterable[Transfer], places: Sequence[tuple[float, float]],
    title: str, ax: Axes | None = None,
) -> Axes:
    """Draws transfers over the network; ``places`` are of its vertices, x to the right, y down."""
    from matplotlib import colormaps, pyplot
    from matplotlib.patches import FancyArrowPatch

    network = schedule.data["network"]
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 6), layout="constrained")
    at = {v["name"]: (x, -y) for v, (x, y) in zip(network["vertices"], places)}
    for channel in network["channels"]:
        (x, y), (u, v) = at[channel["from"]], at[channel["to"]]
        ax.plot([x, u], [y, v], color="0.85", linewidth=1 + channel.get("capacity", 1), zorder=1)
    senders = schedule.data["model"]["senders"]
    colours = colormaps["hsv"].resampled(len(senders) + 1)
    colour = {name: colours(i) for i, name in enumerate(senders)}
    for transfer in step:
        source = transfer.message.get("source", transfer.message.get("root"))
        for start, end in zip(transfer.path, transfer.path[1:]):
            ax.add_patch(FancyArrowPatch(
                at[start], at[end], arrowstyle="-|>", mutation_scale=12, shrinkA=9, shrinkB=9,
                connectionstyle="arc3,rad=-0.08", color=colour.get(source, "black"), linewidth=1.8,
                zorder=2))
    for vertex in network["vertices"]:
        x, y = at[vertex["name"]]
        ax.plot(x, y, "o" if vertex["terminal"] else "s", color="white", markeredgecolor="black",
                markersize=17, zorder=3)
        ax.text(x, y, vertex["name"], ha="center", va="center", fontsize=7, zorder=4)
    ax.set_title(f"{schedule.collective.upper()} on {network['name']}, {title} of {len(schedule)}")
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax
