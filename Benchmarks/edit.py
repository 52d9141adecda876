#!/usr/bin/env python3
"""The workloads "edit" and "ripple": the time of rendering "short" again after a small change,
beside the first render.

edit: its title is changed (3 of 25.5 s). ripple: a second of a third file is put before everything,
and all else moves by it. ripple-under: the same under a title and music that stay where they are,
so four seconds of the picture change, and the whole sound. Each round begins with an empty cache of
its own. Prints the times, and the median of their ratios.
"""
import os
import statistics
import tempfile

import measure
import workload
from workload import make_media

HERE = os.path.dirname(os.path.abspath(__file__))
CHANGES = {"edit": ["--set", "title=Hello again"], "ripple": ["--set", "insert=1"],
           "ripple-under": ["--set", "insert=1", "--set", "stays=true"]}


def rendered(options, media, folder, change):
    """Seconds that a render takes."""
    return measure.run([options.program, "render", f"{HERE}/short.lua", "--set", f"media={media}", *change,
                        "-o", f"{folder}/out.mp4", "--overwrite", "--progress", "none"]).wall


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    options = workload.parsed(parser)
    media = make_media(options.media)
    for name, change in CHANGES.items():
        ratios = []
        for number in range(options.runs):
            with tempfile.TemporaryDirectory(prefix="cutroom-edit-") as folder:
                os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
                first, again = (rendered(options, media, folder, what) for what in ([], change))
            ratios.append(again / first)
            print(f"  {name}, round {number + 1}: first {first:.2f} s, after the change {again:.2f} s", flush=True)
        print(f"{name} ÷ first render, median of {options.runs}: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
