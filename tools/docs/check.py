#!/usr/bin/env python3
"""Checks the links, anchors and lengths of all .md files, and the pages that sources name.

usage: check.py [FOLDER]      FOLDER: the repository (default: this one)      exit code 1: something was found

- A relative link leads to a file or a folder, and its anchor to a heading of that page, by GitHub's
  rules.
- A page in docs/ has at most 300 lines, unless a program writes it (GENERATED).
- A page that a source, a script or the Makefile names (docs/….md) exists.
"""
import os
import re
import sys
import urllib.parse

LONGEST = 300
# Pages that are mostly written by a program.
GENERATED = {"docs/reference/media-checks.md", "docs/reference/picture-effects.md"}
LEFT_OUT = {".build", ".git", "out", "site", "__pycache__"}
SOURCES = (".swift", ".h", ".c", ".py", ".sh", ".lua", ".in", ".js", ".html", ".yml")

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.M)
PAGE = re.compile(r"\bdocs/[\w/.-]*\w\.md\b")


def blank(match):
    """The lines of a match, empty."""
    return "\n" * match[0].count("\n")


def prose(text, keeps_code=False):
    """The text without fenced code and, unless it is kept, without code between backticks. Line
    numbers stay.
    """
    text = re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1`*[ \t]*$", blank, text, flags=re.M | re.S)
    return text if keeps_code else re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", blank, text, flags=re.S)


def anchors(text):
    """The anchors that GitHub gives to the headings of a page, and those that it sets itself."""
    found, counts = set(), {}
    for heading in HEADING.findall(prose(text, keeps_code=True)):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = counts[slug] = counts.get(slug, -1) + 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def files(folder):
    """The paths of all files below the folder that belong to the repository, in order."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(names):
            yield os.path.relpath(os.path.join(place, name), folder)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def links(text):
    """The line and the target of each link."""
    text = prose(text)
    for pattern in (LINK, DEFINITION):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start(1)) + 1, match[1]


def dead_links(folder, page, text):
    for line, target in links(text):
        if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.I):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        place = os.path.normpath(os.path.join(folder, os.path.dirname(page), path)) if path else os.path.join(folder, page)
        if not os.path.exists(place):
            yield f"{page}:{line}: the link leads to ‘{path}’, which does not exist"
        elif anchor and (not place.endswith(".md") or anchor not in anchors(read(place))):
            yield f"{page}:{line}: ‘{path or os.path.basename(page)}’ has no heading ‘#{anchor}’"


def dead_names(folder, path, text):
    for match in PAGE.finditer(text):
        if not os.path.exists(os.path.join(folder, match[0])):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: names ‘{match[0]}’, which does not exist"


def problems(folder):
    """A sentence for each finding."""
    for path in files(folder):
        place = os.path.join(folder, path)
        if path.endswith(".md"):
            text = read(place)
            yield from dead_links(folder, path, text)
            length = text.count("\n")
            if path.startswith("docs/") and length > LONGEST and path not in GENERATED:
                yield f"{path}: has {length} lines, but may have {LONGEST}: split it"
        if path.endswith(SOURCES) or os.path.basename(path) == "Makefile":
            yield from dead_names(folder, path, read(place))


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    found = list(problems(folder))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
