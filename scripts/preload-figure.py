#!/usr/bin/env python3
"""A picture and a table of what an unchanged program gains from schedules.

    preload-figure.py OUT.svg NAME=FILE...

Each FILE is what `scripts/emulate.sh --benchmark` prints for a network. The picture has the gain by length,
the time of MPI's best algorithm over the other: of schedules at every length hollow, of what was measured
to be the fastest filled. The table on the standard output has milliseconds, with that gain in brackets.
"""

import html
import sys

# Distinct with colour blindness (Okabe and Ito).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]
NAMES = {"allgather": "all-gather", "allreduce": "all-reduce", "alltoall": "all-to-all"}
PANEL, LEFT, TOP, HEIGHT, WIDTH = 280, 50, 50, 210, 240


def read(path):
    """Times in microseconds by collective and bytes: MPI's choice, its best, of schedules, of the fastest."""
    times = {}
    with open(path, encoding="utf-8") as file:
        for words in map(str.split, file):
            if len(words) == 7 and words[0] in NAMES and words[1].isdigit():
                times[words[0], int(words[1])] = [int(words[i]) for i in (2, 3, 4, 5)]
    return times or sys.exit(f"preload-figure.py: {path} has no table of scripts/emulate.sh --benchmark")


def length(size):
    return f"{size >> 20}M" if size >> 20 else f"{size >> 10}K"


def milliseconds(time):
    return f"{time / 1000:.3g}" if time < 999_500 else f"{time / 1000:.0f}"


def table(networks):
    print(f"| network | bytes | {' | '.join(NAMES.values())} |\n|---|---|---:|---:|---:|")
    for name, times in networks:
        for size in sorted({size for _, size in times}):
            cells = []
            for collective in NAMES:
                if (collective, size) not in times:
                    cells.append("-")
                    continue
                mpi, best, schedules, tuned = map(milliseconds, times[collective, size])
                gain = times[collective, size][1] / times[collective, size][3]
                cells.append(f"{mpi}, {best}, {schedules}, {tuned} ({gain:.2f})")
            print(f"| {name} | {length(size)} | {' | '.join(cells)} |")
            name = ""


def picture(networks):
    sizes = sorted({size for _, times in networks for _, size in times})
    gains = [best / t for _, times in networks for _, best, *others in times.values() for t in others]
    top = max(1.5, max(gains))
    width = PANEL * len(NAMES) + 20
    at_y = lambda gain: TOP + HEIGHT * (1 - gain / top)
    text = lambda x, y, what, anchor="middle", size=13: (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(what)}</text>')
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="330" '
           f'viewBox="0 0 {width} 330" font-family="sans-serif">\n<rect width="{width}" height="330" fill="white"/>')
    for panel, (collective, title) in enumerate(NAMES.items()):
        left = LEFT + panel * PANEL
        at_x = lambda size: left + WIDTH * (sizes.index(size) + 0.5) / len(sizes)
        yield text(left + WIDTH / 2, TOP - 26, f"{title}: MPI's best time over this", size=14)
        for tick in [half / 2 for half in range(int(top * 2) + 1)]:
            colour = "#888" if tick == 1 else "#ddd"
            yield f'<path d="M{left} {at_y(tick):.1f}h{WIDTH}" stroke="{colour}"/>'
            yield text(left - 8, at_y(tick) + 4, f"{tick:g}", "end")
        for size in sizes:
            yield text(at_x(size), TOP + HEIGHT + 18, length(size))
        for (_, times), colour in zip(networks, COLOURS):
            rows = sorted((size, row) for (what, size), row in times.items() if what == collective)
            line = "L".join(f"{at_x(size):.1f} {at_y(best / tuned):.1f}" for size, (_, best, _, tuned) in rows)
            yield f'<path d="M{line}" fill="none" stroke="{colour}" stroke-opacity="0.5"/>'
            for size, (_, best, always, tuned) in rows:
                yield f'<circle cx="{at_x(size):.1f}" cy="{at_y(best / always):.1f}" r="3" fill="none" stroke="{colour}"/>'
                yield f'<circle cx="{at_x(size):.1f}" cy="{at_y(best / tuned):.1f}" r="4" fill="{colour}"/>'
    x = LEFT
    for (name, _), colour in zip(networks, COLOURS):
        yield f'<circle cx="{x:.1f}" cy="305" r="5" fill="{colour}"/>'
        yield text(x + 12, 310, name, "start")
        x += 40 + 7 * len(name)
    yield "</svg>"


def main():
    out, *files = sys.argv[1:] or sys.exit(__doc__)
    networks = [(name, read(path)) for name, path in (file.split("=", 1) for file in files)]
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in picture(networks))
    table(networks)


main()
