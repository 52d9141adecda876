#!/usr/bin/env python3
"""Checks every LADSPA plugin of Debian's packages and writes what it finds: the bridge's table and
docs/ladspa.md's.

usage: ladspa-table.py [--packages swh-plugins cmt tap-plugins] [--program .build/release/cutroom] [--build COMMAND]

First every plugin is tested as if it were pure, which tells whether it makes the same sound each
time; the table of that is written and built in; then every plugin is tested as what the table says,
and what fails then is refused; and what is left renders a second of sound with its default values.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

from plugin_table import SEQUENTIAL, UNSURE, check, conclude, harm, leak, may_differ, put, quoted, readmit, version

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "Sources", "CBridges", "ladspa_table.inc")
PAGE = os.path.join(ROOT, "docs", "ladspa.md")
# Bytes for each instance. Sound has few instances, and their size does not depend on the sound.
SMALL_LEAK = 1 << 20
# A second of two tones, of which the right one is softer.
SOUND = "aevalsrc=0.25*sin(880*PI*t)|0.125*sin(1320*PI*t):s=48000:d=1"


def libraries(packages):
    files = subprocess.run(["dpkg", "-L", *packages], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    return sorted({f for f in files if re.search(r"/ladspa/[^/]*\.so$", f)})


def listed(program, folder, paths):
    """The effects of the libraries, in order of id."""
    for path in paths:
        os.symlink(path, os.path.join(folder, os.path.basename(path)))
    run = subprocess.run([program, "plugin", "list", "ladspa", "--json"], stdout=subprocess.PIPE, text=True, check=True,
                         env={**os.environ, "LADSPA_PATH": folder})
    found = json.loads(run.stdout)
    for problem in found["problems"]:
        print("not listed:", problem)
    real = {os.path.realpath(p) for p in paths}
    return [e for e in found["effects"] if os.path.realpath(e["path"]) in real]


def level(program, folder, picture, sound, effect):
    """The greatest sample that comes out, in dB, None where all is silent; or why nothing does."""
    script, output = os.path.join(folder, "one.lua"), os.path.join(folder, "one.wav")
    with open(script, "w") as file:
        file.write(f"""local draft = require "cutroom".draft {{ size = {{ 64, 64 }}, fps = 25 }}
draft:add_image({json.dumps(picture)}, {{ duration = 1 }})
draft:add_audio({json.dumps(sound)}, {{ effects = {{ {{ {json.dumps(effect["id"])}, {{}} }} }} }})
return draft
""")
    run = subprocess.run([program, "render", script, "-o", output, "--no-cache", "--overwrite", "--workers", "1"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        return run.stderr.strip().split("\n")[-1]
    stats = subprocess.run(["ffmpeg", "-v", "info", "-i", output, "-af", "astats=measure_perchannel=none", "-f", "null", "-"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stderr
    if "Number of samples: 48000" not in stats:
        return "the output has another length"
    peak = re.search(r"Peak level dB: (\S+)", stats).group(1)
    return None if peak == "-inf" else float(peak)


def write_table(rows, packages):
    lines = [f"/* Written by tools/ladspa-table.py from {', '.join(packages)}. */"]
    for row in rows:
        label = row["label"]
        if row["is_known"]:
            lines.append(f'{{"{label}", {row["number"]}, {row["ports"]}, {row["state"].upper()}, {quoted(row["refusal"])}}},')
    with open(TABLE, "w") as file:
        file.write("\n".join(lines) + "\n")


def port_counts(paths):
    """By label and number, from the libraries themselves."""
    import ctypes

    class Head(ctypes.Structure):
        _fields_ = [("number", ctypes.c_ulong), ("label", ctypes.c_char_p), ("properties", ctypes.c_int),
                    ("name", ctypes.c_char_p), ("maker", ctypes.c_char_p), ("copyright", ctypes.c_char_p),
                    ("port_count", ctypes.c_ulong)]
    counts = {}
    for path in paths:
        get = ctypes.CDLL(path).ladspa_descriptor
        get.restype, get.argtypes = ctypes.POINTER(Head), [ctypes.c_ulong]
        index = 0
        while plugin := get(index):
            counts[plugin.contents.label.decode(), str(plugin.contents.number)] = plugin.contents.port_count
            index += 1
    return counts


def page(rows, packages):
    usable = [r for r in rows if not r["refusal"]]
    rendered = [r for r in usable if not isinstance(r["level"], str)]
    foreign = [r for r in rows if not r["is_known"]]
    leaking = sum(0 < r["leak"] for r in usable)
    labels = collections.Counter(r["label"] for r in rows)
    # Not the id that it has beside whatever else is installed here.
    ids = [f"ladspa.{r['label']}" if labels[r["label"]] == 1 else r["effect"]["id"] for r in rows]
    text = [
        f"Of the {len(rows)} plugins of Debian's {', '.join('`{}` {}'.format(*p.split()) for p in packages)}:", "",
        "| | plugins |", "| --- | --- |",
        f"| are listed with their parameters | {len(rows)} |",
        f"| pass the check | {len(usable)} |",
        f"| render | {len(rendered)}, of which {sum(r['state'] == 'unsure' for r in rendered)} may differ from run to run |",
        f"| are refused because of their inputs and outputs | {len(foreign)} |",
        f"| are refused because they fail the check | {len(rows) - len(usable) - len(foreign)} |", "",
        f"Plugins that pass and leak: {leaking} (at most {max([r['leak'] for r in usable] + [0])} bytes for each instance). "
        "*Peak* is the level of two tones (−12 dB left, −18 dB right) after the plugin with its default values.", "",
        "| id | number | parameters | runs ahead by | peak | |", "| --- | --- | --- | --- | --- | --- |",
    ]
    for id, row in zip(ids, rows):
        params = ", ".join(f"`{p['id']}`" for p in row["effect"]["parameters"])
        notes = ["refused: " + row["refusal"]] if row["refusal"] else []
        if not row["refusal"] and row["state"] == "unsure":
            notes.append("may differ")
        if not row["refusal"] and row["leak"]:
            notes.append(f"leaves {row['leak']} bytes")
        peak = "–" if row["refusal"] else "silent" if row["level"] is None else f"{row['level']:.1f} dB".replace("-", "−") \
            if not isinstance(row["level"], str) else row["level"]
        reach = row["effect"]["reach_after"]
        note = "; ".join(notes).replace("|", "\\|")
        text.append(f"| `{id}` | {row['number']} | {params} | {f'{reach} samples' if reach else ''} | {peak} | {note} |")
    put(PAGE, "ladspa-table.py", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", nargs="+", default=["swh-plugins", "cmt", "tap-plugins"])
    parser.add_argument("--program", default=os.path.join(ROOT, ".build", "release", "cutroom"))
    parser.add_argument("--build", default="swift build -c release", help="what builds the table in")
    parser.add_argument("--time-limit", default="240")
    options = parser.parse_args()
    packages = [f"{name} {version(name)}" for name in options.packages]
    paths = libraries(options.packages)
    ports = port_counts(paths)
    folder = tempfile.TemporaryDirectory()
    os.environ["LADSPA_PATH"] = folder.name
    rows = []
    for effect in listed(options.program, folder.name, paths):
        number = effect["version"]
        label = effect["id"].split(".", 1)[1]
        label = label if (label, number) in ports else label.removesuffix("." + number)
        refusal = effect.get("refusal")
        # What the table says already is to be found out again.
        is_known = not refusal or refusal.startswith(("it fails", "it does not render"))
        rows.append({"effect": effect, "label": label, "number": number, "ports": ports[label, number], "is_known": is_known,
                     "was_refused": is_known and bool(refusal),
                     "refusal": None if is_known else refusal, "state": "unsure", "leak": 0, "level": None})
    known = [r for r in rows if r["is_known"]]

    def test(row, *flags):
        return check(options.program, row["effect"]["path"], "--effect", "ladspa." + row["label"], "--time-limit", options.time_limit, *flags)

    def checked(*flags):
        results = []
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            runs = [pool.submit(test, row, *flags) for row in known]
            for row, run in zip(known, runs):
                results.append(run.result())
                print(row["effect"]["id"], " ".join(results[-1]) or "passes", flush=True)
        return results

    def build():
        write_table(rows, packages)
        subprocess.run(options.build, shell=True, cwd=ROOT, check=True)

    for row, failed in zip(known, checked("--as-pure")):
        row["state"] = "unsure" if may_differ(failed) else "steady"
        row["refusal"], row["leak"] = harm(failed, UNSURE | SEQUENTIAL, SMALL_LEAK), leak(failed)
    build()
    for row, failed in zip(known, checked()):
        conclude(row, failed, SMALL_LEAK)
        if row["was_refused"]:
            readmit(row, lambda seed: test(row, "--seed", seed), SMALL_LEAK)
    sound = os.path.join(folder.name, "tones.wav")
    picture = os.path.join(folder.name, "black.png")
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", SOUND, sound], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=black:size=64x64", "-frames:v", "1", picture], check=True)
    for row in known:
        if not row["refusal"]:
            row["level"] = level(options.program, folder.name, picture, sound, row["effect"])
            print(row["effect"]["id"], row["level"], flush=True)
            if isinstance(row["level"], str):
                row["refusal"] = "it does not render with its default values"
    page(rows, packages)
    build()


if __name__ == "__main__":
    main()
