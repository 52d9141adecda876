#!/usr/bin/env python3
"""Fails where a Swift target's imports differ from its dependencies in Package.swift.

An import without a dependency builds only as long as another target happens to bring the module
along. A dependency without an import makes the target wait for a module that it does not use. Both
are reported as FILE:LINE: SENTENCE.

Checked are our own modules and the products of other packages. Targets without Swift are left out:
C includes headers by path. The manifest is read as text, so a target's name and its dependencies
have to be literals, or constants of the manifest.

usage: check-imports.py [ROOT]
"""
import bisect
import os
import re
import sys

# Dependencies that are needed without an import, and why. Tests may also depend on programs, which
# they start.
LINKED_ONLY = {
    ("RGBSplitPlugin", "RGBSplitEntry"): "exports the entry symbol",
}
TARGET = re.compile(r"\.(target|executableTarget|testTarget|systemLibrary)\(")
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:(?:public|package|internal|fileprivate|private)[ \t]+)?"
    r"import[ \t]+(?:(?:struct|class|enum|protocol|func|typealias|var|let)[ \t]+)?(\w+)", re.M)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"', re.S)


class Lines:
    """A text, with the number of the line at an offset."""

    def __init__(self, text):
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def number(self, offset):
        return bisect.bisect_right(self.starts, offset)


def without(text, kinds):
    """Blanks out comments, or comments and strings; offsets and lines stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group()) if match.group().startswith(kinds) else match.group()
    return TOKEN.sub(blank, text)


def closing(bare, opening):
    """The offset of the bracket that closes the one at `opening`."""
    depth = 0
    for offset in range(opening, len(bare)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(bare[offset], 0)
        if depth == 0:
            return offset
    raise SystemExit(f"Package.swift: the bracket at offset {opening} is not closed; build the package first.")


class Target:
    def __init__(self, kind, name, line, path, dependencies):
        # Dependencies: module to line.
        self.kind, self.name, self.line, self.path, self.dependencies = kind, name, line, path, dependencies


def targets(text):
    """Reads the manifest's targets."""
    code = without(text, ("//", "/*"))
    bare = without(text, ("//", "/*", '"'))
    lines = Lines(text)
    products = {
        match.group(1): match.group(2)
        for match in re.finditer(r'^let (\w+)(?:: Target\.Dependency)? = \.product\(name: "(\w+)"', code, re.M)}
    found = []
    for match in TARGET.finditer(bare):
        opening = match.end() - 1
        end = closing(bare, opening)
        name = re.compile(r'\(\s*name:\s*"(\w+)"').match(code, opening, end)
        if not name:
            # A mention of the type in an expression.
            continue
        path = re.compile(r'\bpath:\s*"([^"]+)"').search(code, opening, end)
        folder = "Tests" if match.group(1) == "testTarget" else "Sources"
        target = Target(
            match.group(1), name.group(1), lines.number(match.start()),
            path.group(1) if path else f"{folder}/{name.group(1)}", {})
        label = re.compile(r"\bdependencies:\s*").search(bare, opening, end)
        if label:
            if bare[label.end()] != "[":
                raise SystemExit(f"Package.swift:{lines.number(label.start())}: the dependencies of ‘{target.name}’ "
                                 "are not a literal list; write them out.")
            last = closing(bare, label.end())
            item = re.compile(r'\.product\(name:\s*"(\w+)"[^)]*\)|"(\w+)"|(\w+)')
            for entry in item.finditer(code, label.end(), last):
                product, module, constant = entry.groups()
                if constant and constant not in products:
                    raise SystemExit(f"Package.swift:{lines.number(entry.start())}: ‘{constant}’ is not a product "
                                     "that this file defines with ‘let’; define it, or write the product out.")
                target.dependencies[product or module or products[constant]] = lines.number(entry.start())
        found.append(target)
    return found


def sources(root, target, nested):
    """The Swift files of a target; those in folders of other targets are not its own."""
    for folder, names, files in os.walk(os.path.join(root, target.path)):
        here = os.path.relpath(folder, root)
        names[:] = sorted(name for name in names if os.path.join(here, name) not in nested)
        for name in sorted(files):
            # Fixtures are excluded from their targets.
            if name.endswith(".swift") and "Fixtures" not in here.split(os.sep):
                yield os.path.join(here, name)


def check(root):
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        found = targets(file.read())
    programs = {target.name for target in found if target.kind == "executableTarget"}
    known = {target.name for target in found}.union(*(target.dependencies for target in found))
    folders = {target.path for target in found}
    problems = []
    for target in found:
        if not os.path.isdir(os.path.join(root, target.path)):
            problems.append(("Package.swift", target.line,
                             f"the target ‘{target.name}’ has no folder {target.path}; make it, or set ‘path’"))
        imported = {}
        files = list(sources(root, target, folders))
        for path in files:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                code = without(file.read(), ("//", "/*", '"'))
            lines = Lines(code)
            for match in IMPORT.finditer(code):
                if match.group(1) in known:
                    imported.setdefault(match.group(1), (path, lines.number(match.start(1))))
        if not files:
            continue
        for module in sorted(imported.keys() - target.dependencies.keys() - {target.name}):
            problems.append((*imported[module], f"‘{target.name}’ imports ‘{module}’, which Package.swift does not list "
                             "among its dependencies; add it there"))
        for module in sorted(target.dependencies.keys() - imported.keys()):
            is_started = target.kind == "testTarget" and module in programs
            if not is_started and (target.name, module) not in LINKED_ONLY:
                problems.append(("Package.swift", target.dependencies[module],
                                 f"‘{target.name}’ depends on ‘{module}’, but imports it nowhere; remove it"))
    for name in sorted(os.listdir(os.path.join(root, "Sources"))):
        if f"Sources/{name}" not in folders:
            problems.append((f"Sources/{name}", 1, "no target of Package.swift has this folder; add one, or remove the folder"))
    return found, sorted(problems)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found, problems = check(root)
    for path, line, sentence in problems:
        print(f"{path}:{line}: {sentence}.", file=sys.stderr)
    if problems:
        return 1
    print(f"{len(found)} targets import what they depend on.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
