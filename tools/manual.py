#!/usr/bin/env python3
"""Writes the manual's pages, one for each command, from what the program says of itself: the source of its --help.
The worker's is written here: nobody but the program calls it.
usage: manual.py PROGRAM FOLDER     FOLDER gets cutroom.1, cutroom-render.1, …, cutroom-worker.1"""
import json
import pathlib
import subprocess
import sys

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


# What has a name in groff(7), which every device writes with what it has; others go by their numbers.
LETTERS = {"‘": "\\(oq", "’": "\\(cq", "“": "\\(lq", "”": "\\(rq", "–": "\\(en", "—": "\\(em", "→": "\\(->", "…": "...", "×": "\\(mu"}


def text(words):
    """Plain words in mdoc(7), in ASCII: no letter of theirs is a command."""
    words = (words or "").replace("\\", "\\e")
    words = "".join(LETTERS.get(c, c if c.isascii() else f"\\[u{ord(c):04X}]") for c in words)
    return "\n".join(("\\&" if line[:1] in (".", "'") else "") + line for line in words.splitlines())


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


def page(command, names, version):
    title = "-".join(names)
    lines = [
        f".Dd {version.split()[-1]}", f".Dt {title.upper()} 1", f".Os {version}", ".Sh NAME", f".Nm {title}",
        f".Nd {text(command['abstract'].rstrip('.'))}", ".Sh SYNOPSIS", f".Nm {' '.join(names)}",
    ] + synopsis(command)
    lines += [".Sh DESCRIPTION", text(command["abstract"])]
    if command.get("discussion"):
        lines += [".Pp", text(command["discussion"])]
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
    for code, meaning in EXITS:
        lines += [f".It {code}", text(meaning)]
    lines += [".El"]
    if len(names) > 1:
        lines += [".Sh SEE ALSO", f".Xr {'-'.join(names[:-1])} 1"]
    return "\n".join(lines) + "\n"


def write(command, names, version, folder):
    (folder / ("-".join(names) + ".1")).write_text(page(command, names, version), encoding="ascii")
    for sub in subcommands(command):
        write(sub, names + [sub["commandName"]], version, folder)


WORKER = """.Sh NAME
.Nm cutroom\\-worker
.Nd renders parts of videos for cutroom
.Sh SYNOPSIS
.Nm cutroom\\-worker
.Sh DESCRIPTION
A worker process of the video editor
.Xr cutroom 1 ,
which starts as many as it needs and stops them.
It finds the program beside its own, or where
.Ev CUTROOM_WORKER
says.
.Sh EXIT STATUS
.Bl -tag -width Ds
.It 64
it was not started by
.Xr cutroom 1
.El
.Sh SEE ALSO
.Xr cutroom\\-render 1
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    said = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    folder.mkdir(parents=True, exist_ok=True)
    command = json.loads(said)["command"]
    write(command, [command["commandName"]], version, folder)
    head = f".Dd {version.split()[-1]}\n.Dt CUTROOM-WORKER 1\n.Os {version}\n"
    (folder / "cutroom-worker.1").write_text(head + WORKER, encoding="ascii")


main()
