#!/usr/bin/env python3
"""The "edit" workload: the time of rendering "short" again after its title was changed (3 of 25.5 s), beside the first render.

Each round begins with an empty cache of its own. Prints both times and the median of their ratios.
"""
import os
import statistics
import tempfile

import measure
import workload
from workload import make_media

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    options = workload.parsed(parser)
    media = make_media(options.media)
    ratios = []
    for number in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="cutroom-edit-") as folder:
            os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
            times = [
                measure.run([options.program, "render", f"{HERE}/short.lua", "--set", f"media={media}", "--set", f"title={title}",
                             "-o", f"{folder}/out.mp4", "--overwrite", "--progress", "none"]).wall
                for title in ("Hello Cutroom", "Hello again")]
        ratios.append(times[1] / times[0])
        print(f"  round {number + 1}: first {times[0]:.2f} s, after the edit {times[1]:.2f} s", flush=True)
    print(f"edit ÷ first render, median of {options.runs}: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
