#!/usr/bin/env python3
"""Checks every frei0r plugin and writes what it finds: the bridge's table and docs/frei0r.md's.

usage: frei0r-table.py [--folder /usr/lib/frei0r-1] [--program .build/release/cutroom] [--build COMMAND] [--only NAME[,NAME…]]

First every plugin is tested as if it were pure, which tells what it is; the table of that is written and built in; then every
plugin is tested as what the table says, and what fails then is refused. A leak is noted; one that grows with the picture is a
reason to refuse. With --only the others keep their rows.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "Sources", "CBridges", "frei0r_table.inc")
PAGE = os.path.join(ROOT, "docs", "frei0r.md")
START, END = "<!-- frei0r-table.py: begin -->", "<!-- frei0r-table.py: end -->"
# Bytes for each instance of the check's small pictures. Less is a forgotten text or structure, more is a picture.
SMALL_LEAK = 4096
# Tests whose failure says that frames are not always the same, and not that harm is done.
UNSURE = {"structs", "layout", "repeatable", "processes", "instances", "threads", "concurrency", "reset"}
# Of what is taken for pure, these only say that it is not.
SEQUENTIAL = {"pure", "parameter-history"}


def check(program, path, *options):
    """The failed tests of a plugin, by name, each with its first finding and whether the process died."""
    command = [program, "plugin", "check", path, "--json", *options]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 65):
        sys.exit(f"{' '.join(command)}: {run.stderr}")
    report = json.loads(run.stdout)
    return {r["test"]: (r.get("death"), r["findings"][0] if r["findings"] else r["findings"][-1])
            for r in report["results"] if r["outcome"] == "failed"}


def leak(failed):
    """Bytes that each instance leaves behind."""
    if "leaks" not in failed:
        return 0
    number = re.search(r"leaves about (\d+) bytes", failed["leaks"][1]["what"])
    return int(number.group(1)) if number else SMALL_LEAK + 1


def reason(test, finding):
    """A refusal: a sentence without its subject's name."""
    what = re.sub(r" \(random values.*|: Backtrace.*", "", finding["what"])
    at = (finding.get("at") or "").replace("default values, ", "")
    at = re.sub(r"(values at their m\w+|random values) \(.*\)", r"\1", at)
    return f"it fails the check ‘{test}’: {what}" + (f" ({at})" if at and at not in what else "")


def harm(failed, allowed):
    """Why the plugin is refused; None where it need not be."""
    for test, (death, finding) in failed.items():
        if test == "leaks" and leak(failed) <= SMALL_LEAK and not death:
            continue
        if death or test not in allowed:
            return reason(test, finding)
    return None


def write_table(rows, version):
    lines = [f"/* Written by tools/frei0r-table.py from frei0r-plugins {version}. */"]
    for row in rows:
        refusal = "NULL" if not row["refusal"] else json.dumps(row["refusal"], ensure_ascii=False)
        major, minor = row["version"].split(".")
        lines.append(f'{{"{row["name"]}", {major}, {minor}, {row["state"].upper()}, {refusal}}},')
    with open(TABLE, "w") as file:
        file.write("\n".join(lines) + "\n")


def classify(name, failed):
    if set(failed) & UNSURE:
        state = "unsure"
    elif "pure" in failed:
        state = "sequential"
    else:
        state = "pure"
    return {"state": state, "refusal": harm(failed, UNSURE | SEQUENTIAL), "leak": leak(failed)}


def page(rows, effects, version):
    usable = [r for r in rows if not r["refusal"]]
    refused = [r for r in rows if r["refusal"]]
    count = lambda state: sum(r["state"] == state for r in usable)
    leaking = sum(0 < r["leak"] for r in usable)
    text = [
        START, f"Of the {len(rows)} plugins of Debian's `frei0r-plugins` {version}:", "",
        "| | plugins |", "| --- | --- |",
        f"| are listed with their parameters | {len(rows)} |",
        f"| pass the check | {len(usable)} |",
        f"| render | {len(usable)}: {count('pure')} pure, {count('sequential')} sequential, {count('unsure')} that may differ from run to run |",
        f"| are refused | {len(refused)} |", "",
        f"{leaking} that pass leave some bytes (at most {max([r['leak'] for r in usable] + [0])}) behind with each instance.", "",
        "| id | kind | version | parameters | state | |", "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        effect = effects[row["name"]]
        params = ", ".join(f"`{p['id']}`" for p in effect["parameters"])
        words = {"pure": "pure", "sequential": "sequential", "unsure": "may differ"}[row["state"]]
        note = "refused: " + row["refusal"] if row["refusal"] else f"leaves {row['leak']} bytes" if row["leak"] else ""
        note = note.replace("|", "\\|")
        state = "–" if row["refusal"] else words
        text.append(f"| `frei0r.{row['name']}` | {effect['kind']} | {row['version']} | {params} | {state} | {note} |")
    text.append(END)
    with open(PAGE) as file:
        old = file.read()
    new = old[:old.index(START)] + "\n".join(text) + old[old.index(END) + len(END):]
    with open(PAGE, "w") as file:
        file.write(new)


def known():
    """The rows of the table as it is, with the leaks that the page tells of, by name."""
    with open(PAGE) as file:
        leaks = {name: int(size) for name, size in re.findall(r"^\| `frei0r\.(\w+)` .* leaves (\d+) bytes \|$", file.read(), re.M)}
    rows = {}
    with open(TABLE) as file:
        for name, major, minor, state, refusal in re.findall(r'^\{"(.+?)", (\d+), (\d+), (\w+), (.*)\},$', file.read(), re.M):
            rows[name] = {"name": name, "version": f"{major}.{minor}", "state": state.lower(), "leak": leaks.get(name, 0),
                          "refusal": None if refusal == "NULL" else json.loads(refusal)}
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="/usr/lib/frei0r-1")
    parser.add_argument("--program", default=os.path.join(ROOT, ".build", "release", "cutroom"))
    parser.add_argument("--build", default="swift build -c release", help="what builds the table in")
    parser.add_argument("--time-limit", default="60")
    parser.add_argument("--only", help="names, separated by commas")
    options = parser.parse_args()
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "frei0r-plugins"], stdout=subprocess.PIPE, text=True).stdout
    paths = {os.path.basename(p)[:-3]: p for p in sorted(glob.glob(options.folder + "/*.so"))}

    def listed():
        run = subprocess.run([options.program, "plugin", "list", "frei0r", "--json"], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "FREI0R_PATH": options.folder})
        found = json.loads(run.stdout)
        for problem in found["problems"]:
            print("not listed:", problem)
        return {e["id"].split(".", 1)[1]: e for e in found["effects"]}

    chosen = options.only.split(",") if options.only else list(paths)
    others = {name: row for name, row in known().items() if name not in chosen} if options.only else {}

    def checked(*flags):
        results = {}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            runs = {n: pool.submit(check, options.program, p, "--time-limit", options.time_limit, *flags) for n, p in paths.items() if n in chosen}
            for name, run in runs.items():
                results[name] = run.result()
                print(name, " ".join(results[name]) or "passes", flush=True)
        return results

    effects = listed()
    rows = []
    for name, failed in checked("--as-pure").items():
        rows.append({"name": name, "version": effects[name]["version"], **classify(name, failed)})
        if effects[name].get("refusal", "").startswith("it mixes three"):
            rows[-1]["refusal"] = effects[name]["refusal"]

    def all_rows():
        return sorted([*rows, *others.values()], key=lambda row: list(paths).index(row["name"]))

    write_table(all_rows(), version)
    subprocess.run(options.build, shell=True, cwd=ROOT, check=True)
    for row, failed in zip(rows, checked().values()):
        row["refusal"] = row["refusal"] or harm(failed, set())
        row["leak"] = max(row["leak"], leak(failed))
    write_table(all_rows(), version)
    page(all_rows(), effects, version)
    subprocess.run(options.build, shell=True, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
