#!/usr/bin/env python3
"""Checks every frei0r plugin and writes what it finds: the bridge's table and docs/frei0r.md's.

usage: frei0r-table.py [--folder /usr/lib/frei0r-1] [--program .build/release/cutroom] [--build COMMAND] [--only NAME[,NAME…]]
                       [--only-render]

1. Tests every plugin as if it were pure. The result says whether it is. Writes the table and
   builds.
2. Tests every plugin as what the table says. A plugin that fails now is refused. A leak is noted;
   one that grows with the picture is a reason to refuse.
3. Renders some frames of the other plugins with their default values: filters and sources alone,
   mixers as the transition of two pictures.

With --only the other plugins keep their rows. --only-render takes the results of the check from the
table.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import tempfile

from plugin_table import SEQUENTIAL, UNSURE, check, conclude, harm, leak, may_differ, put, quoted, readmit, version

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "Sources", "CBridges", "frei0r_table.inc")
PAGE = os.path.join(ROOT, "docs", "frei0r.md")
# For each kind, the lines that show an effect in FRAMES frames. A transition overlaps its pictures.
FRAMES, FPS = 10, 25
DRAFTS = {
    "filter": 'draft:add_image("one.png", {{ duration = {seconds} }})\ndraft:add_effect({id})',
    "source": 'draft:add_source({id}, {{ duration = {seconds} }})',
    "transition": 'draft:add_image("one.png", {{ duration = {seconds} }})\n'
                  'draft:add_image("two.png", {{ duration = {seconds}, transition = {{ {id}, {seconds} }} }})',
}


def write_table(rows, package):
    lines = [f"/* Written by tools/frei0r-table.py from frei0r-plugins {package}. */"]
    for row in rows:
        major, minor = row["version"].split(".")
        lines.append(f'{{"{row["name"]}", {major}, {minor}, {row["state"].upper()}, {quoted(row["refusal"])}}},')
    with open(TABLE, "w") as file:
        file.write("\n".join(lines) + "\n")


def classify(name, failed):
    if may_differ(failed):
        state = "unsure"
    elif "pure" in failed:
        state = "sequential"
    else:
        state = "pure"
    return {"state": state, "refusal": harm(failed, UNSURE | SEQUENTIAL), "leak": leak(failed)}


def failure(program, folder, effect):
    """Why the effect does not render with its default values; None where it does."""
    script, output = os.path.join(folder, "one.lua"), os.path.join(folder, "one.mp4")
    with open(script, "w") as file:
        file.write(f'local draft = require "cutroom".draft {{ size = {{ 320, 180 }}, fps = {FPS} }}\n'
                   + DRAFTS[effect["kind"]].format(id=json.dumps(effect["id"]), seconds=FRAMES / FPS) + "\nreturn draft\n")
    run = subprocess.run([program, "render", script, "-o", output, "--no-cache", "--overwrite", "--workers", "1"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        words = (run.stderr.strip() or f"exit code {run.returncode}").split("\n")[-1]
        return re.sub(r"^cutroom: |\S*/one\.lua:\d+: ", "", words)
    probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", output],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return None if probe == str(FRAMES) else f"the output has {probe} frames instead of {FRAMES}"


def render(program, rows, effects):
    """Notes of each row that is not refused why it does not render."""
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in (("one", "testsrc2=size=320x180"), ("two", "mandelbrot=size=320x180")):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-frames:v", "1", os.path.join(folder, name + ".png")],
                           check=True)
        for row in rows:
            row["failure"] = None if row["refusal"] else failure(program, folder, effects[row["name"]])
            if not row["refusal"]:
                print(row["name"], row["failure"] or "renders", flush=True)


def page(rows, effects, package):
    usable = [r for r in rows if not r["refusal"]]
    rendered = [r for r in usable if not r["failure"]]
    refused = [r for r in rows if r["refusal"]]
    count = lambda state: sum(r["state"] == state for r in rendered)
    leaking = sum(0 < r["leak"] for r in usable)
    text = [
        f"Of the {len(rows)} plugins of Debian's `frei0r-plugins` {package}:", "",
        "| | plugins |", "| --- | --- |",
        f"| are listed with their parameters | {len(rows)} |",
        f"| pass the check | {len(usable)} |",
        f"| render | {len(rendered)}: {count('pure')} pure, {count('sequential')} sequential, {count('unsure')} that may differ from run to run |",
        f"| are refused | {len(refused)} |", "",
        f"Plugins that pass and leak: {leaking} (at most {max([r['leak'] for r in usable] + [0])} bytes for each instance).", "",
        "| id | kind | version | parameters | state | |", "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        effect = effects[row["name"]]
        params = ", ".join(f"`{p['id']}`" for p in effect["parameters"])
        words = {"pure": "pure", "sequential": "sequential", "unsure": "may differ"}[row["state"]]
        notes = ["refused: " + row["refusal"]] if row["refusal"] else []
        if row["failure"]:
            notes.append("does not render: " + row["failure"])
        if row["leak"] and not row["refusal"]:
            notes.append(f"leaves {row['leak']} bytes")
        note = "; ".join(notes).replace("|", "\\|")
        state = "–" if row["refusal"] else words
        text.append(f"| `frei0r.{row['name']}` | {effect['kind']} | {row['version']} | {params} | {state} | {note} |")
    put(PAGE, "frei0r-table.py", text)


def known():
    """The rows of the table as it is, with the leaks and failed renders that the page tells of, by
    name.
    """
    with open(PAGE) as file:
        text = file.read()
    leaks = {name: int(size) for name, size in re.findall(r"^\| `frei0r\.([^`]+)` .* leaves (\d+) bytes \|$", text, re.M)}
    failures = dict(re.findall(r"^\| `frei0r\.([^`]+)` .* does not render: (.*?)(?:; leaves \d+ bytes)? \|$", text, re.M))
    rows = {}
    with open(TABLE) as file:
        for name, major, minor, state, refusal in re.findall(r'^\{"(.+?)", (\d+), (\d+), (\w+), (.*)\},$', file.read(), re.M):
            rows[name] = {"name": name, "version": f"{major}.{minor}", "state": state.lower(), "leak": leaks.get(name, 0),
                          "failure": failures.get(name, "").replace("\\|", "|") or None,
                          "refusal": None if refusal == "NULL" else json.loads(refusal)}
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="/usr/lib/frei0r-1")
    parser.add_argument("--program", default=os.path.join(ROOT, ".build", "release", "cutroom"))
    parser.add_argument("--build", default="swift build -c release", help="what builds the table in")
    parser.add_argument("--time-limit", default="60")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--only-render", action="store_true", help="no check: renders what the table does not refuse, and writes the page")
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
    before = known()
    others = {name: row for name, row in before.items() if name not in chosen} if options.only else {}

    def test(name, *flags):
        return check(options.program, paths[name], "--time-limit", options.time_limit, *flags)

    def checked(*flags):
        results = {}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            runs = {name: pool.submit(test, name, *flags) for name in paths if name in chosen}
            for name, run in runs.items():
                results[name] = run.result()
                print(name, " ".join(results[name]) or "passes", flush=True)
        return results

    effects = listed()
    if options.only_render:
        rows = known()
        render(options.program, [row for name, row in rows.items() if name in chosen], effects)
        page(list(rows.values()), effects, package)
        return
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
        conclude(row, failed)
        if before.get(row["name"], {}).get("refusal"):
            readmit(row, lambda seed: test(row["name"], "--seed", seed))
    write_table(all_rows(), package)
    subprocess.run(options.build, shell=True, cwd=ROOT, check=True)
    render(options.program, rows, effects)
    page(all_rows(), effects, package)


if __name__ == "__main__":
    main()
