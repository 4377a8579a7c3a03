#!/usr/bin/env python3
"""The pages of `ccsched show --html` in a real browser, Chromium without a window.

A page loads without errors and without requests, its totals are those of the file, slider, keys, filters
and mouse change what is drawn, filters act on all charts, the next hit is found, who has a message is what
the file says, names do no harm, light and dark and narrow windows work, and 200,000
transfers are drawn as loads. With schedule files it tests their pages as well. Exit status 0: all is well;
77: there is no Chromium."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as driver  # noqa: E402

HOSTILE = "</script><script>window.harmed=1</script><!--<b onclick='x'>\"\\"
PICTURE = "document.getElementById('network').toDataURL()"
CHARTS = "['fill', 'heat'].map(id => document.getElementById(id).toDataURL())"
# The first lines of all tips of the network, by a raster of places of the pointer.
TIPS = """(() => {
    const network = document.getElementById('network'), tip = document.getElementById('tip'), found = new Set();
    const { x, y, width, height } = network.getBoundingClientRect();
    for (let i = 1; i < 60; i++) for (let j = 1; j < 40; j++) {
        const at = { clientX: x + width * i / 60, clientY: y + height * j / 40, pointerId: 1 };
        network.dispatchEvent(new PointerEvent('pointermove', at));
        found.add(tip.hidden ? '' : tip.textContent.split('\\n')[0]);
    }
    network.dispatchEvent(new PointerEvent('pointerleave'));
    return [...found];
})()"""
JOINING = ("all-reduce-whole", "barrier")
failures = []


def check(what, holds, seen=""):
    """Counts a failure and goes on."""
    if not holds:
        failures.append(what)
        print(f"  FAILED: {what} {seen}")


def number(text):
    return int(text.split()[0].replace(",", ""))


def origin(t):
    """Source of the message of a transfer, or root of its sum."""
    return t["message"].get("source", t["message"].get("root"))


def holders(file, chosen, step):
    """How many vertices have the message of a transfer when a step begins, how many a part of it, and how
    many receive it in the step."""
    collective = file["model"]["collective"]
    is_sum = "root" in chosen["message"] or collective in JOINING
    own = [[t for t in transfers if collective in JOINING or t["message"] == chosen["message"]]
           for transfers in file["steps"]]
    addends = set(file["model"]["senders"] + file["model"]["receivers"]) if is_sum else {origin(chosen)}
    held = {v: {v} for v in addends}
    for transfers in own[:step]:
        sent = [(t["to"], set(held.get(t["from"], ()))) for t in transfers]
        if "destination" in chosen["message"]:
            for t in transfers:
                held.pop(t["from"], None)
        for v, part in sent:
            held.setdefault(v, set()).update(part)
    full = sum(part == addends for part in held.values())
    return full, len(held) - full, len({t["to"] for t in own[step]}), is_sum


def follow(page, file, name):
    """A chosen message through all steps: who has it, and where it moves."""
    page.key("Home", 36)
    before = page.value(CHARTS)
    chosen = file["steps"][0][0]
    page.value("document.querySelector('#list li').click()")
    page.settle()
    check(f"{name}: charts show the message alone", all(a != b for a, b in zip(page.value(CHARTS), before)))
    pictures = set()
    for step in range(len(file["steps"][:20])):
        full, parts, incoming, is_sum = holders(file, chosen, step)
        words = f" is {'complete ' if is_sum else ''}at {full} vert{'ex' if full == 1 else 'ices'}"
        words += (f", in part at {parts}" if parts else "") + (f"; this step brings it to {incoming}" if incoming else "")
        check(f"{name}: holders in step {step + 1}", page.text("followed").endswith(words), page.text("followed") + words)
        pictures.add(page.value(PICTURE))
        page.key("ArrowRight", 39)
    check(f"{name}: holders are drawn", len(pictures) > 1 or len(file["steps"]) == 1)
    page.key("Escape", 27)
    page.key("Home", 36)
    check(f"{name}: Escape ends following", page.text("followed") == "" and page.value(CHARTS) == before)

    # The last step with a transfer from this source and to this destination, by way of all hits.
    t = file["steps"][-1][-1]
    to = t["message"].get("destination", t["to"])
    for field, text in [("source", origin(t)), ("destination", to)]:
        page.value(f"document.getElementById('{field}').focus()")
        page.call("Input.insertText", text=text)
        page.settle()
    page.value("document.activeElement.blur()")
    check(f"{name}: charts are filtered", all(a != b for a, b in zip(page.value(CHARTS), before)))
    hits = [step for step, transfers in enumerate(file["steps"])
            if any(origin(u) == origin(t) and u["message"].get("destination", u["to"]) == to for u in transfers)]
    found = [0]
    for _ in range(len(hits) + 1):
        page.key("n", 78, "n")
        found.append(int(page.text("where").split()[1]) - 1)
    after = [step for step in hits if step > 0] + hits
    check(f"{name}: next hits", found[1:] == (after + hits)[:len(found) - 1], (found, hits))
    page.key("Home", 36)
    page.key("p", 80, "p")
    check(f"{name}: the hit before", page.text("where") == f"step {hits[-1] + 1} of {len(file['steps'])}")
    page.key("Escape", 27)
    page.key("Home", 36)


def walk(page, file, name):
    """The totals, and every step by the keys of a user (of long schedules the first 20)."""
    steps = file["steps"]
    hops = [sum(len(t["channels"]) for t in step) for step in steps]
    check(f"{name}: steps", number(page.text("total-steps")) == len(steps), page.text("total-steps"))
    check(f"{name}: transfers", number(page.text("total-transfers")) == sum(map(len, steps)))
    check(f"{name}: channel-steps", number(page.text("total-channel-steps")) == sum(hops))
    check(f"{name}: channels", number(page.text("total-channels")) == len(file["network"]["channels"]))
    check(f"{name}: vertices", number(page.text("total-vertices")) == len(file["network"]["vertices"]))
    check(f"{name}: network", file["network"]["name"] in page.text("title"))
    page.value("document.getElementById('step').focus()")
    pictures = []
    for step, transfers in list(enumerate(steps))[:20]:
        plural = "" if len(transfers) == 1 else "s"
        words = f"Step {step + 1}: {len(transfers):,} transfer{plural}, {hops[step]:,} of"
        check(f"{name}: step {step + 1}", page.text("status").startswith(words), page.text("status"))
        listed = page.value("document.querySelectorAll('#list li[data-transfer]').length")
        check(f"{name}: list of step {step + 1}", listed == min(len(transfers), 300), listed)
        pictures.append(page.value(PICTURE))
        page.key("ArrowRight", 39)
    check(f"{name}: the slider changes the picture", len(set(pictures)) == len(pictures))
    page.key("End", 35)
    check(f"{name}: End", page.text("where") == f"step {len(steps)} of {len(steps)}")
    page.key("Home", 36)
    check(f"{name}: Home", page.value(PICTURE) == pictures[0])


def use(page, file, name):
    """Filters, player, mouse, colours."""
    steps = file["steps"]
    before = page.value(PICTURE)
    source = origin(steps[0][0])
    page.value("document.getElementById('source').focus()")
    page.call("Input.insertText", text=source)
    page.settle()
    own = sum(origin(t) == source for t in steps[0])
    check(f"{name}: filter", f" {own:,} of {len(steps[0]):,} transfer" in page.text("status"), page.text("status"))
    check(f"{name}: filter is drawn", page.value(PICTURE) != before)
    page.key("Escape", 27)
    page.value("document.activeElement.blur()")
    check(f"{name}: Escape clears filters", page.value(PICTURE) == before)
    page.value("document.getElementById('list').focus()")
    page.key("ArrowDown", 40)
    check(f"{name}: a chosen transfer is drawn", page.value(PICTURE) != before)
    page.value("document.activeElement.blur()")
    page.key("Home", 36)
    page.key(" ", 32, " ")
    time.sleep(1.2)
    check(f"{name}: play", page.text("where") != f"step 1 of {len(steps)}")
    page.key(" ", 32, " ")
    page.key("Home", 36)

    tips = set(page.value(TIPS))
    messages = {"message " + ("+" if t.get("phase") == "reduce" else "") + origin(t) + (
        " \u2192 " + t["message"]["destination"] if "destination" in t["message"] else "") for t in steps[0]}
    seen = {tip for tip in tips if tip.startswith("message ")}
    check(f"{name}: the pointer names messages", seen and seen <= messages, seen - messages)
    page.mouse("mouseMoved", 1, 1)

    page.value("document.getElementById('heat').scrollIntoView({block: 'center'})")
    heat = page.value("JSON.parse(JSON.stringify(document.getElementById('heat').getBoundingClientRect()))")
    for kind in ["mousePressed", "mouseReleased"]:
        page.mouse(kind, heat["x"] + heat["width"] - 12, heat["y"] + 8)
    page.settle()
    check(f"{name}: a cell of the map", page.text("where") == f"step {len(steps)} of {len(steps)}", page.text("where"))
    check(f"{name}: its link is chosen", page.value("document.getElementById('link').value") != "")
    page.value("document.getElementById('clear').click()")

    light = page.value(PICTURE)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.settle()
    check(f"{name}: dark", page.value(PICTURE) != light)
    ground = page.value("getComputedStyle(document.body).backgroundColor")
    check(f"{name}: dark ground", all(int(n) < 60 for n in ground[4:-1].split(",")), ground)
    page.call("Emulation.setEmulatedMedia", features=[])


def narrow(page, path, name):
    """A window of a telephone: nothing sticks out."""
    page.open(path, 390, 800)
    width = page.value("document.documentElement.scrollWidth")
    check(f"{name}: fits 390 columns", width <= 390, width)


def synthetic(steps, each, n, reach):
    """A schedule of many transfers on a ring of n vertices with channels to the next ones, of which half
    send in a step."""
    names = [f"v{i}" for i in range(n)]
    channels = [{"from": names[i], "to": names[(i + far) % n], "capacity": 1000}
                for far in range(1, reach + 1) for i in range(n)]

    def transfer(v):
        far = v % reach + 1
        ends = names[v % n], names[(v + 3 * far) % n]
        return {"message": {"source": ends[0], "destination": ends[1]}, "from": ends[0], "to": ends[1],
                "channels": [(far - 1) * n + (v + d * far) % n for d in range(3)]}

    return {"format": "ccsched-schedule/1",
            "network": {"name": "large", "vertices": [{"name": v, "terminal": True} for v in names], "channels": channels},
            "model": {"collective": "aas", "source": None, "senders": names, "receivers": names, "switching": "wormhole",
                      "ports": "all", "routing": "minimal", "pairs": None},
            "steps": [[transfer(k % (n // 2) + s) for k in range(each)] for s in range(steps)], "faults": [], "bounds": [],
            "provenance": {"program": "", "version": "", "engine": "", "seed": 1, "ranks": 1}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/debug/ccsched")
    parser.add_argument("schedules", nargs="*")
    args = parser.parse_args()
    program = driver.find()
    if not program:
        print("test-page: NOT RUN: there is no Chromium (Debian: apt-get install chromium)", file=sys.stderr)
        return 77
    page = driver.Browser(program)
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            subprocess.run([args.program, *words], check=True, cwd=folder)

        def page_of(file, name):
            path = os.path.join(folder, name)
            run("show", file, "--html", path + ".html")
            with open(file, encoding="utf-8") as text:
                return path + ".html", json.load(text)

        jobs = [("kautz:3,2", "aas", []), ("petersen", "aab", []), ("mesh:3x3", "oas", ["--switching", "sf"]),
                ("omega:8", "aas", []), ("ring:4", "all-reduce", ["--switching", "sf"]),
                ("ring:8,half", "aas", ["--fail-node", "3"])]
        for spec, collective, more in jobs:
            name = f"{spec} {collective}"
            saved = os.path.join(folder, name.replace(":", "-") + ".json")
            run("solve", "-t", spec, "-c", collective, "-q", "-o", saved, *more)
            path, file = page_of(saved, "page")
            page.open(path)
            walk(page, file, name)
            use(page, file, name)
            follow(page, file, name)
            check(f"{name}: faults", page.value("document.getElementById('faults').hidden") == (not file["faults"]))
            check(f"{name}: no complaints", not page.complaints(), page.complaints())
            narrow(page, path, name)
            print(f"test-page: {name}")

        text = json.dumps(file).replace('"4"', json.dumps(HOSTILE)).replace('"5"', '"__proto__"')
        hostile = os.path.join(folder, "hostile.json")
        with open(hostile, "w", encoding="utf-8") as out:
            out.write(text)
        path, file = page_of(hostile, "hostile")
        page.open(path)
        walk(page, file, "hostile names")
        check("hostile names: no script ran", page.value("window.harmed") is None)
        check("hostile names: the name is text", HOSTILE in page.value(
            "[...document.querySelectorAll('#senders option')].map(o => o.value)"))
        check("hostile names: no complaints", not page.complaints(), page.complaints())
        print("test-page: hostile names")

        for steps, each, n, reach, tangled in [(50, 400, 100, 1, False), (20, 10_000, 100, 1, True),
                                               (290, 690, 448, 6, False)]:
            name = f"{steps * each:,} transfers in {steps} steps of {n} vertices"
            large = os.path.join(folder, "large.json")
            with open(large, "w", encoding="utf-8") as out:
                json.dump(synthetic(steps, each, n, reach), out)
            path, file = page_of(large, "large")
            begin = time.monotonic()
            page.open(path)
            walk(page, file, name)
            check(f"{name}: note", page.value("document.getElementById('note').hidden") != tangled)
            check(f"{name}: no complaints", not page.complaints(), page.complaints())
            print(f"test-page: {name}, {time.monotonic() - begin:.1f} s")

        for file in args.schedules:
            path, content = page_of(os.path.abspath(file), "given")
            page.open(path)
            walk(page, content, file)
            check(f"{file}: no complaints", not page.complaints(), page.complaints())
            print(f"test-page: {file}")
    page.close()
    print(f"test-page: {len(failures)} failures" if failures else "test-page: all is well")
    return 1 if failures else 0


sys.exit(main())
