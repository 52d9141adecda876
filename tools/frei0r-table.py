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

from plugin_table import SEQUENTIAL, UNSURE, check, harm, leak, put, quoted, version

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "Sources", "CBridges", "frei0r_table.inc")
PAGE = os.path.join(ROOT, "docs", "frei0r.md")


def write_table(rows, package):
    lines = [f"/* Written by tools/frei0r-table.py from frei0r-plugins {package}. */"]
    for row in rows:
        major, minor = row["version"].split(".")
        lines.append(f'{{"{row["name"]}", {major}, {minor}, {row["state"].upper()}, {quoted(row["refusal"])}}},')
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


def page(rows, effects, package):
    usable = [r for r in rows if not r["refusal"]]
    refused = [r for r in rows if r["refusal"]]
    count = lambda state: sum(r["state"] == state for r in usable)
    leaking = sum(0 < r["leak"] for r in usable)
    text = [
        f"Of the {len(rows)} plugins of Debian's `frei0r-plugins` {package}:", "",
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
    put(PAGE, "frei0r-table.py", text)


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
    package = version("frei0r-plugins")
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

    write_table(all_rows(), package)
    subprocess.run(options.build, shell=True, cwd=ROOT, check=True)
    for row, failed in zip(rows, checked().values()):
        row["refusal"] = row["refusal"] or harm(failed, set())
        row["leak"] = max(row["leak"], leak(failed))
    write_table(all_rows(), package)
    page(all_rows(), effects, package)
    subprocess.run(options.build, shell=True, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
