#!/usr/bin/env python3
"""A picture of what schedules gain for an unchanged program, and the same as a Markdown table.

    benchmark-figure.py OUT.svg NAME=FILE...

Each FILE is what `scripts/emulate.sh --benchmark` prints for a network. A panel for each collective has
the time of MPI's own function over that with the library, by length: filled with the lengths that were
measured before, hollow with schedules at every length.
"""

import html
import sys

PANEL, HEIGHT, LEFT, TOP, BOTTOM = 270, 330, 50, 40, 70
# Distinct with colour blindness (Okabe and Ito).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]
LEGEND = 20


def rows(path):
    """Collective, bytes, us of MPI, schedules and chosen ones, and the two ratios."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("collective")]
    return [(line[0], int(line[1]), int(line[2]), int(line[3]), float(line[4]), int(line[5]), float(line[6]))
            for line in lines if len(line) == 7]


def short(size):
    return f"{size >> 20}M" if size >= 1 << 20 else f"{size >> 10}K"


def ms(us):
    return f"{us / 1e3:.0f}" if us >= 1e5 else f"{us / 1e3:.1f}"


def text(x, y, what, anchor="middle", size=13):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(what)}</text>'


def main():
    out, *named = sys.argv[1:]
    networks = [(name, rows(path)) for name, path in (item.rsplit("=", 1) for item in named)]
    every = [row for _, of in networks for row in of]
    collectives = list(dict.fromkeys(row[0] for row in every))
    sizes = sorted({row[1] for row in every})
    top = 0.25 + max(max(row[4], row[6]) for row in every)
    width = LEFT + PANEL * len(collectives)

    def y(ratio):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * ratio / top

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
           f'viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif">',
           f'<rect width="{width}" height="{HEIGHT}" fill="white"/>']
    for place, collective in enumerate(collectives):
        left = LEFT + place * PANEL
        step = (PANEL - 30) / len(sizes)
        svg.append(text(left + (PANEL - 30) / 2, 24, collective, size=16))
        for half in range(int(2 * top) + 1):
            colour = "#888" if half == 2 else "#ddd"
            svg.append(f'<path d="M{left} {y(half / 2):.1f}h{PANEL - 30}" stroke="{colour}"/>')
            if place == 0:
                svg.append(text(left - 8, y(half / 2) + 4, f"{half / 2:g}", "end"))
        for size in sizes:
            svg.append(text(left + step * (sizes.index(size) + 0.5), HEIGHT - BOTTOM + 18, short(size)))
        for series, (_, of) in enumerate(networks):
            colour, shift = COLOURS[series % len(COLOURS)], 8 * (series - (len(networks) - 1) / 2)
            mine = sorted(row for row in of if row[0] == collective)
            points = [(left + step * (sizes.index(row[1]) + 0.5) + shift, row) for row in mine]
            path = "L".join(f"{x:.1f} {y(row[6]):.1f}" for x, row in points)
            svg.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-opacity="0.5"/>')
            for x, row in points:
                svg += [f'<circle cx="{x:.1f}" cy="{y(row[4]):.1f}" r="3" fill="none" stroke="{colour}"/>',
                        f'<circle cx="{x:.1f}" cy="{y(row[6]):.1f}" r="4" fill="{colour}"/>']
    for series, (name, _) in enumerate(networks):
        at = LEFT + series * (width - LEFT) / len(networks)
        svg += [f'<circle cx="{at:.1f}" cy="{HEIGHT - LEGEND - 4}" r="4" fill="{COLOURS[series % len(COLOURS)]}"/>',
                text(at + 10, HEIGHT - LEGEND, name, "start")]
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(svg + ["</svg>\n"]))
    print(f"| network | bytes | {' | '.join(collectives)} |\n|---|---|{'---:|' * len(collectives)}")
    for name, of in networks:
        for size in sorted({row[1] for row in of}):
            cells = {row[0]: row for row in of if row[1] == size}
            line = []
            for collective in collectives:
                _, _, mpi, always, ratio, tuned, chosen = cells[collective]
                line.append(f"{ms(mpi)}, {ms(always)} ({ratio:.2f}), {ms(tuned)} ({chosen:.2f})")
            print(f"| {name} | {short(size)} | {' | '.join(line)} |")


main()
