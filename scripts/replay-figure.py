#!/usr/bin/env python3
"""A picture of replays on several networks: throughput, predicted and measured.

    replay-figure.py TITLE OUT.svg NAME=FILE.csv...

Prints the same as a Markdown table. Each FILE is the CSV of `ccsched-mpi replay`; of several sizes the largest counts. As figures 6 and 9 of
"Network topology aware scheduling of collective communications": the networks side by side in the
order given, a line for what the model predicts, a dot with the interval of the median for what was
measured.
"""

import csv
import html
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 20, 50, 120
# Distinct with colour blindness (Okabe and Ito).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]


def rows(path):
    """The rows of the largest size."""
    with open(path, encoding="utf-8", newline="") as file:
        all_rows = list(csv.DictReader(file))
    most = max(int(row["bytes"]) for row in all_rows)
    return [row for row in all_rows if int(row["bytes"]) == most]


def text(x, y, what, anchor="middle", size=15, more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{more}>'
            f"{html.escape(what)}</text>")


def number(text, digits):
    return f"{float(text):.{digits}f}" if text else "-"


def table(networks, schedules):
    """A row for each network. Measured over predicted time, and times the seconds of the first
    schedule, as measured and (in brackets) by the steps."""
    head, line = ["network"], ["---"]
    for place, schedule in enumerate(schedules):
        has_steps = any(row["steps"] for _, of in networks for row in of if row["schedule"] == schedule)
        columns = ["steps"] * has_steps + ["s"] + ["/ predicted"] * has_steps
        columns += [f"/ {schedules[0]}"] * (place > 0)
        head += [f"{schedule}: {column}" if i == 0 else column for i, column in enumerate(columns)]
        line += ["---:"] * len(columns)
    print(f"| {' | '.join(head)} |\n|{'|'.join(line)}|")
    for name, of in networks:
        cells = [f"`{name}`"]
        for place, row in enumerate(sorted(of, key=lambda row: schedules.index(row["schedule"]))):
            cells += [row["steps"]] * bool(row["steps"]) + [number(row["seconds"], 2)]
            cells += [number(row["measured_over_predicted"], 2)] * bool(row["steps"])
            model = f" ({int(row['steps']) / int(of[0]['steps']):.2f})" if row["steps"] else ""
            cells += [number(row["over_first"], 2) + model] * (place > 0)
        print(f"| {' | '.join(cells)} |")


def main():
    title, out, *named = sys.argv[1:]
    networks = [(name, rows(path)) for name, path in (item.rsplit("=", 1) for item in named)]
    schedules = list(dict.fromkeys(row["schedule"] for _, of in networks for row in of))

    def rate(row):
        return float(row["megabytes_per_second"])

    def at_seconds(row, key):
        """The throughput if the time were another column."""
        return rate(row) * float(row["seconds"]) / float(row[key])

    top = 1.1 * max(max(at_seconds(row, "seconds_low"), at_seconds(row, "predicted_seconds")
                        if row["predicted_seconds"] else 0) for _, of in networks for row in of)
    step = (WIDTH - LEFT - RIGHT) / len(networks)

    def x(place):
        return LEFT + step * place

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(WIDTH / 2, 28, title, size=19)]
    unit = next(u for u in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000) if top / u < 8)
    for tick in range(0, int(top) + 1, unit):
        svg += [f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
                text(LEFT - 8, y(tick) + 5, str(tick), "end")]
    svg.append(text(18, (TOP + HEIGHT - BOTTOM) / 2, "MB/s (line: predicted, dot: measured)", more=' transform="rotate('
                    f'-90 18 {(TOP + HEIGHT - BOTTOM) / 2})"'))
    for place, (name, of) in enumerate(networks):
        middle, down = x(place + 0.5), HEIGHT - BOTTOM + 14
        svg.append(text(middle, down, name, "end", 12, f' transform="rotate(-30 {middle:.1f} {down})"'))
        for row in of:
            series = schedules.index(row["schedule"])
            colour = COLOURS[series % len(COLOURS)]
            if row["predicted_seconds"]:
                level = y(at_seconds(row, "predicted_seconds"))
                svg.append(f'<path d="M{x(place + 0.08):.1f} {level:.1f}H{x(place + 0.92):.1f}" '
                           f'stroke="{colour}" stroke-width="2"/>')
            at = x(place + 0.5 + 0.16 * (series - (len(schedules) - 1) / 2))
            high, low = at_seconds(row, "seconds_low"), at_seconds(row, "seconds_high")
            svg += [f'<path d="M{at:.1f} {y(low):.1f}V{y(high):.1f}" stroke="{colour}"/>',
                    f'<circle cx="{at:.1f}" cy="{y(rate(row)):.1f}" r="4" fill="{colour}"/>']
    for place, schedule in enumerate(schedules):
        at = LEFT + 20 + place * (WIDTH - LEFT - RIGHT) / len(schedules)
        svg += [f'<circle cx="{at:.1f}" cy="{HEIGHT - 17}" r="4" fill="{COLOURS[place % len(COLOURS)]}"/>',
                text(at + 10, HEIGHT - 12, schedule, "start")]
    svg.append("</svg>\n")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(svg))
    table(networks, schedules)


main()
