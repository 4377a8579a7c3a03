#!/usr/bin/env python3
"""Checks that every link of the pages in a folder leads to a file there.

usage: scripts/check-links.py FOLDER
Exit status: 0 all lead somewhere, 1 some do not, 2 wrong usage.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__.strip()) if len(sys.argv) != 2 else sys.exit(f"no folder: {sys.argv[1]}")
    root = Path(sys.argv[1])
    broken, count = [], 0
    for page in sorted(root.rglob("*.html")):
        if page.name in ("404.html", "print.html", "toc.html"):
            continue
        links = Links()
        links.feed(page.read_text(encoding="utf-8"))
        for link in links.found:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            count += 1
            if not (page.parent / unquote(parts.path)).exists():
                broken.append(f"{page.relative_to(root)}: {link}")
    print("\n".join(sorted(set(broken))))
    print(f"{count} links, {len(set(broken))} lead nowhere")
    sys.exit(1 if broken or not count else 0)


if __name__ == "__main__":
    main()
