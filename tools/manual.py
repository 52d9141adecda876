#!/usr/bin/env python3
"""Writes the manual's pages, one for each command, from what the programs say of themselves: the
source of their --help.
usage: manual.py PROGRAM FOLDER     FOLDER gets cutroom.1, cutroom-render.1, …, and of cutroom-worker, beside PROGRAM, cutroom-worker.1
"""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

EXITS = [
    (0, "done"),
    (64, "the command line is wrong"),
    (65, "something is wrong with the script or draft, or with the media that they name"),
    (66, "the script or draft itself cannot be read"),
    (69, "no worker can be started, or the system allows a process too little"),
    (70, "a fault of Cutroom, or of a plugin"),
    (73, "the output cannot be created"),
    (74, "reading or writing failed, or memory ran out"),
    (130, "stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP"),
]
WORKER_EXITS = [
    (0, "it was told to leave, and has"),
    (64, "the command line is wrong"),
    (66, "a key is missing, or cannot be used"),
    (69, "the server refuses the node, or the node cannot be set up"),
    (143, "a second SIGTERM"),
]


# Characters with a name in groff(7), which works on every device. Others are written by number.
LETTERS = {"‘": "\\(oq", "’": "\\(cq", "“": "\\(lq", "”": "\\(rq", "–": "\\(en", "—": "\\(em", "→": "\\(->", "…": "...", "×": "\\(mu"}


def text(words):
    """Plain words in mdoc(7), in ASCII: no letter of theirs is a command."""
    words = (words or "").replace("\\", "\\e")
    words = "".join(LETTERS.get(c, c if c.isascii() else f"\\[u{ord(c):04X}]") for c in words)
    return "\n".join(("\\&" if line[:1] in (".", "'") else "") + line for line in words.splitlines())


def prose(words):
    """Paragraphs, which empty lines part. One whose lines are all indented is shown as it is: an
    example.
    """
    lines = []
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", words)):
        lines += [".Pp"] if lines else []
        rows = paragraph.strip("\n").splitlines()
        if all(row.startswith("  ") for row in rows):
            lines += [".Bd -literal -offset indent", text(textwrap.dedent("\n".join(rows))), ".Ed"]
        else:
            lines += [text("\n".join(rows))]
    return lines


def word(name):
    """An argument of a macro, whatever is in it."""
    return '"' + text(name).replace('"', '\\(dq').replace("-", "\\-") + '"'


def shown(command, kinds):
    return [a for a in command.get("arguments", []) if a["kind"] in kinds and a.get("shouldDisplay", True)]


def synopsis(command):
    lines = []
    if shown(command, ["option", "flag"]):
        lines.append(".Op Ar options")
    for argument in shown(command, ["positional"]):
        macro = ".Op Ar" if argument.get("isOptional") else ".Ar"
        lines.append(f"{macro} {word(argument['valueName'])}" + (" ..." if argument.get("isRepeating") else ""))
    if subcommands(command):
        lines.append(".Ar command")
    return lines


def subcommands(command):
    return [s for s in command.get("subcommands", []) if s["commandName"] != "help" and s.get("shouldDisplay", True)]


def option(argument):
    # The short name first, as it is everywhere.
    names = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    label = " , ".join("Fl " + word(("-" if n["kind"] == "long" else "") + n["name"]) for n in names)
    value = f" Ar {word(argument['valueName'])}" if argument["kind"] == "option" else ""
    lines = [f".It {label}{value}", text(argument.get("abstract"))]
    values, initial = argument.get("allValues"), argument.get("defaultValue")
    if values:
        lines.append("One of " + text(", ".join(values)) + (f"; the default is {text(initial)}." if initial else "."))
    elif initial:
        lines.append(f"The default is {text(initial)}.")
    return [line for line in lines if line]


def page(command, names, version, exits, also):
    title = "-".join(names)
    lines = [
        f".Dd {version.split()[-1]}", f".Dt {title.upper()} 1", f".Os {version}", ".Sh NAME", f".Nm {title}",
        f".Nd {text(command['abstract'].rstrip('.'))}", ".Sh SYNOPSIS", f".Nm {' '.join(names)}",
    ] + synopsis(command)
    lines += [".Sh DESCRIPTION", text(command["abstract"])]
    if command.get("discussion"):
        lines += [".Pp"] + prose(command["discussion"])
    positional = [a for a in shown(command, ["positional"]) if a.get("abstract")]
    if positional:
        lines += [".Bl -tag -width Ds"]
        for argument in positional:
            lines += [f".It Ar {word(argument['valueName'])}", text(argument["abstract"])]
        lines += [".El"]
    sections = {}
    for argument in shown(command, ["option", "flag"]):
        sections.setdefault(argument.get("sectionTitle") or "Options", []).append(argument)
    for section, arguments in sections.items():
        lines += [f".Sh {section.upper()}", ".Bl -tag -width Ds"]
        for argument in arguments:
            lines += option(argument)
        lines += [".El"]
    if subcommands(command):
        lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
        for sub in subcommands(command):
            lines += [f".It Xr {'-'.join(names + [sub['commandName']])} 1", text(sub["abstract"])]
        lines += [".El"]
    lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for code, meaning in exits:
        lines += [f".It {code}", text(meaning)]
    lines += [".El"]
    if also:
        lines += [".Sh SEE ALSO", f".Xr {also} 1"]
    return "\n".join(lines) + "\n"


def write(command, names, version, folder, exits=EXITS, also=None):
    text = page(command, names, version, exits, also)
    (folder / ("-".join(names) + ".1")).write_text(text, encoding="ascii")
    for sub in subcommands(command):
        write(sub, names + [sub["commandName"]], version, folder, exits, "-".join(names))


def help_of(program):
    """What a program says of itself, and its version."""
    said = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return json.loads(said)["command"], version


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    command, version = help_of(program)
    write(command, [command["commandName"]], version, folder)
    command, version = help_of(program.with_name("cutroom-worker"))
    write(command, ["cutroom-worker"], version, folder, WORKER_EXITS, "cutroom-farm")


main()
