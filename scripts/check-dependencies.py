#!/usr/bin/env python3
"""Checks the dependencies against deny.toml, where cargo-deny is not installed: licences, versions that are there
twice, sources and build scripts, as Cargo.lock and the packages say. And docs/dependencies.md must list the direct
dependencies, and the build scripts, that there are. Needs Python 3.11, and downloads nothing that a build does not.

    scripts/check-dependencies.py
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def packages(target):
    """All packages that a build for a target may use, with all features, and the name of ours."""
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version", "1", "--all-features",
               "--filter-platform", target, "--manifest-path", os.path.join(ROOT, "Cargo.toml")]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    ours = set(found["workspace_members"])
    return [p for p in found["packages"] if p["id"] not in ours], [p for p in found["packages"] if p["id"] in ours]


def allowed(expression, allow, used):
    """Whether an expression of SPDX can be satisfied; notes the licences that do. `/` is an old word for OR."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either():
        results = [both()]
        while words[:1] == ["OR"]:
            words.pop(0)
            results.append(both())
        return any(results)

    def both():
        results = [one()]
        while words[:1] == ["AND"]:
            words.pop(0)
            results.append(one())
        return all(results)

    def one():
        if words[0] == "(":
            words.pop(0)
            result = either()
            words.pop(0)
            return result
        name = words.pop(0)
        if words[:1] == ["WITH"]:
            name = f"{name} {words.pop(0)} {words.pop(0)}"
        if name in allow:
            used.add(name)
        return name in allow

    return either() and not words


def wrong_licences(found, rules):
    used = set()
    for p in found:
        if not p["license"]:
            yield f"{p['name']} {p['version']} names no licence"
        elif not allowed(p["license"], rules["allow"], used):
            allow = ", ".join(rules["allow"])
            yield f"{p['name']} {p['version']} has the licence {p['license']}; deny.toml allows {allow}"
    for licence in rules["allow"]:
        if licence not in used:
            yield f"deny.toml allows {licence}, which no package has"


def wrong_versions(found, rules):
    """Versions that are there twice: all but the last must be skipped."""
    skipped = [entry["crate"].split(":") for entry in rules["skip"]]
    versions = {}
    for p in found:
        versions.setdefault(p["name"], set()).add(p["version"])
    for name, number in skipped:
        if len(versions.get(name, ())) < 2 or not any(v.split(".")[0] == number for v in versions[name]):
            yield f"deny.toml skips {name} {number}, which is not there beside another version"
    for name, all_of in versions.items():
        left = [v for v in all_of if [name, v.split(".")[0]] not in skipped]
        if len(all_of) > 1 and len(left) > 1:
            yield f"{name} is there in versions {' and '.join(sorted(all_of))}"


def wrong_sources(found, rules):
    for p in found:
        if (p["source"] or "").removeprefix("registry+") not in rules["allow-registry"]:
            yield f"{p['name']} {p['version']} comes from {p['source'] or 'a folder'}"


def differing(what, there, listed, where):
    for name in sorted(there - listed):
        yield f"{name} {what}, but {where} does not list it"
    for name in sorted(listed - there):
        yield f"{where} lists {name}, which is none of those that {what.replace('is', 'are').replace('has', 'have')}"


def rows(document, heading):
    """The names in the first column of the tables of a section."""
    section = document.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def main():
    try:
        import tomllib
    except ImportError:
        print("check-dependencies: skipped, this Python is older than 3.11")
        return 0
    with open(os.path.join(ROOT, "deny.toml"), "rb") as file:
        rules = tomllib.load(file)
    with open(os.path.join(ROOT, "docs", "dependencies.md"), encoding="utf-8") as file:
        document = file.read()
    unique = {}
    for target in rules["graph"]["targets"]:
        others, ours = packages(target)
        unique.update({p["id"]: p for p in others})
    found = list(unique.values())
    scripts = {p["name"] for p in found if any("custom-build" in t["kind"] for t in p["targets"])}
    direct = {d["name"] for p in ours for d in p["dependencies"] if not d["name"].startswith("ccsched-")}
    wrong = [
        *wrong_licences(found, rules["licenses"]),
        *wrong_versions(found, rules["bans"]),
        *wrong_sources(found, rules["sources"]),
        *differing("has a build script", scripts, set(rules["bans"]["build"]["allow-build-scripts"]), "deny.toml"),
        *differing("has a build script", scripts, rows(document, "Build scripts"), "docs/dependencies.md"),
        *differing("is a direct dependency", direct, rows(document, "Direct dependencies"), "docs/dependencies.md"),
    ]
    for line in wrong:
        print(f"check-dependencies: {line}", file=sys.stderr)
    print(f"check-dependencies: {len(found)} packages, {len(direct)} of them direct, {len(scripts)} with build scripts, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
