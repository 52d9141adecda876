#!/usr/bin/env python3
"""The "short" workload in Cutroom beside one hand-written ffmpeg command, in alternation in one run.

Ten 3 s pieces of three 1080p sources with 0.5 s dissolves, scaled to 1280×720 at 30 fps, a look, a sticker, a title and music:
25.5 s. Prints the medians of wall time, CPU time and peak memory, and their ratios. Cutroom neither uses nor keeps rendered
segments here. Real footage is used where $CUTROOM_MEDIA or ../shared/media has it; else ffmpeg draws the sources. Nothing is
judged: the figures depend on the machine, and only those of one run are to be compared.
"""
import os
import statistics
import sys
import tempfile

import measure
import peers
import workload
from workload import FRAMES, make_media

HERE = os.path.dirname(os.path.abspath(__file__))


def cutroom_command(program):
    def command(media, output):
        return [program, "render", f"{HERE}/short.lua", "--set", f"media={media}", "-o", output, "--overwrite", "--no-cache",
                "--progress", "none"]
    return command


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="counted rounds, after one to warm up (default 3)")
    parser.add_argument("--peers", action="store_true", help="in the first round also melt and MoviePy, where installed: they are slow")
    options = workload.parsed(parser)

    media = make_media(options.media)
    sides = {"cutroom": cutroom_command(options.program), "ffmpeg": peers.ffmpeg}
    slow = peers.installed() if options.peers else {}
    print(f"sources: {media}; {os.cpu_count()} processors; memory is the summed PSS of all processes, sampled every "
          f"{measure.INTERVAL * 1000:.0f} ms", flush=True)
    results = {name: [] for name in sides | slow}
    with tempfile.TemporaryDirectory(prefix="cutroom-bench-") as folder:
        for number in range(options.runs + 1):
            round_sides = sides | slow if number == 1 else sides
            for name in measure.order(round_sides, number):
                output = f"{folder}/{name}.mp4"
                result = measure.run(round_sides[name](media, output))
                if number > 0:
                    results[name].append(result)
                print(f"  {f'round {number}' if number else 'warm-up':8} {name:8} {result.wall:7.2f} s wall {result.cpu:7.2f} s CPU "
                      f"{result.memory:7.0f} MiB", flush=True)
                frames = measure.frame_count(output)
                if name in ("cutroom", "ffmpeg") and frames != FRAMES:
                    sys.exit(f"{name} wrote {frames} frames instead of {FRAMES}, so there is nothing to compare.")

    medians = {name: measure.Result(*map(statistics.median, zip(*runs))) for name, runs in results.items()}
    print(f"\n{'median of ' + str(options.runs):14}{'wall s':>10}{'CPU s':>10}{'peak MiB':>10}")
    for name, (wall, cpu, memory) in medians.items():
        print(f"{name:14}{wall:10.2f}{cpu:10.2f}{memory:10.0f}")
    for name in list(sides | slow)[1:]:
        # The ratio within each round, then the median: what else the machine does meanwhile touches both sides of a round.
        ratios = [[ours / theirs for ours, theirs in zip(*pair)] for pair in zip(results["cutroom"], results[name])]
        wall, cpu, memory = map(statistics.median, zip(*ratios))
        print(f"{'÷ ' + name:14}{wall:10.2f}{cpu:10.2f}{memory:10.2f}")


if __name__ == "__main__":
    main()
