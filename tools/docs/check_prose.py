#!/usr/bin/env python3
"""Fails on words that this project does not use, and on prose lines over 100 columns.

Checked are pages (.md), comments of the sources and plugins, help texts of commands, and the texts
of the editor's page. The words are archaic, gendered or private to this project; CONTRIBUTING.md
says what to write instead. The width of comments is checked in all files. Lines of tables and code
blocks, and lines with addresses, may be longer than 100 columns.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = 100
WORDS = {
    r"nobody|somebody|anybody|everybody|whoever|whosoever": "name the user, the client or the process",
    r"told of": "“is reported”",
    r"hardly meant": "“probably a mistake”",
    r"a kin of": "“a derivative of”",
    r"at hand": "“available”",
    r"himself|whom|he (?:has|is|may|wants|can)": "“they”, or the user, the client",
    r"has its turn|goes on with": "“is scheduled”, “continues”",
    r"as many as may be|the wide sweeps": "“the exhaustive tests”",
}
# A sentence that begins so has to be read twice.
BEGINNINGS = r"(?:^|(?<=[.;:] ))(?:Of|Those that|Those who|Who|What [a-z’ ]{1,40} is)\b(?! the )"
# How a whole line of a comment begins, by kind of file. Headings between sections may be wider.
C = r"\s*(?:/\*(?! ----)| \* |//)"
COMMENTS = {"swift": r"\s*//", "c": C, "h": C, "cpp": C, "py": r"\s*#", "sh": r"\s*#", "lua": r"\s*--"}
# Files that quote such words, and why.
EXCEPTIONS = {
    "tools/docs/check_prose.py": "lists the words",
}


def files(*patterns):
    text = subprocess.run(["git", "-C", ROOT, "ls-files", "--", *patterns], capture_output=True, text=True, check=True)
    return [name for name in text.stdout.split("\n") if name and name not in EXCEPTIONS]


def prose(name):
    """Yields the lines of a file that people read as text: number, text, and whether its width
    counts.
    """
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    if name.endswith(".md"):
        is_code = False
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith("```"):
                is_code = not is_code
            elif not is_code and not line.startswith("    "):
                yield number, re.sub(r"`[^`]*`", "``", line), not line.startswith("|") and " " in line[:COLUMNS].strip()
        return
    if name.endswith((".html", ".js")):
        for number, line in enumerate(lines, 1):
            for text in re.findall(r"“[^”]*”|\"[^\"]* [^\"]*\"|>[^<>]+<|`[^`]* [^`]*`", line):
                yield number, text, False
        return
    is_code = False
    for number, line in enumerate(lines, 1):
        comment = re.match(r"\s*(?:///|//|/\*+| \*) ?(.*)", line)
        if comment:
            if comment.group(1).startswith("```"):
                is_code = not is_code
            elif not is_code:
                yield number, comment.group(1), line.lstrip().startswith("//")
        elif re.search(r"\b(help|abstract|discussion|valueName):", line):
            yield number, line, False


def prose_lines(name, lines):
    """Yields the numbers of the lines whose width counts: prose of a page, whole-line comments."""
    kind = name.rsplit(".", 1)[-1]
    if kind in ("md", "swift"):
        yield from (number for number, _, counts in prose(name) if counts)
    else:
        yield from (number for number, line in enumerate(lines, 1) if re.match(COMMENTS[kind], line))


def main():
    found = []
    words = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), advice) for pattern, advice in WORDS.items()]
    beginnings = re.compile(BEGINNINGS)
    for name in files("*.md", "Sources/**/*.swift", "Sources/**/*.[ch]", "Plugins/**/*.swift", "Plugins/**/*.[ch]",
                      "Sources/Editor/Page/*"):
        if not name.endswith((".md", ".swift", ".c", ".h", ".html", ".js")):
            continue
        for number, text, counts in prose(name):
            for pattern, advice in words:
                for match in pattern.finditer(text):
                    found.append((name, number, f"“{match.group(0)}”: write {advice}"))
            for match in beginnings.finditer(text):
                found.append((name, number, f"a sentence begins with “{match.group(0)}”"))
    for name in files("*.md", *("*." + kind for kind in COMMENTS)):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number in prose_lines(name, lines):
            line = lines[number - 1]
            if len(line) > COLUMNS and "://" not in line:
                found.append((name, number, f"a line of {len(line)} columns; {COLUMNS} are the most"))
    for name, number, text in found:
        print(f"{name}:{number}: {text}")
    if found:
        sys.exit(f"{len(found)} places need plain English; see CONTRIBUTING.md.")


if __name__ == "__main__":
    main()
