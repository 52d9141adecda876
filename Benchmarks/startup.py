#!/usr/bin/env python3
"""The "startup" workload: what a render costs besides its encode, with a draft of one second of
1080p.

Beside it ffmpeg decodes and encodes the same second, with the same encoder, preset and quality, in
turns. Both have one processor, one thread for each step, and Cutroom one worker, so that nothing
that runs beside the encode hides what it costs. The difference is Cutroom's own: the host, the
worker, the probe, the plan, assembling, verifying and syncing to disk, with an empty cache.
"""
import os
import statistics
import sys
import tempfile

import measure
import workload

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="counted rounds, after one to warm up (default 5)")
    options = workload.parsed(parser)
    source = workload.make_media(options.media) + "/a.mp4"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="cutroom-startup-") as folder:
        sides = {
            "cutroom": [options.program, "render", f"{HERE}/startup.lua", "--set", f"source={source}", "-o", f"{folder}/ours.mp4",
                        "--workers", "1", "--overwrite", "--no-cache", "--progress", "none"],
            "ffmpeg": ["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-ss", "1", "-t", "1", "-i", source, "-filter_threads", "1", "-c:v", "libx264",
                       "-threads", "1", "-preset", "veryfast", "-crf", "20", "-c:a", "aac", "-movflags", "faststart",
                       f"{folder}/theirs.mp4"],
        }
        times = {side: [] for side in sides}
        for number in range(options.runs + 1):
            for side in measure.order(sides, number):
                result = measure.run(sides[side])
                if number > 0:
                    times[side].append(result)
        for path in (f"{folder}/ours.mp4", f"{folder}/theirs.mp4"):
            if measure.frame_count(path) != 30:
                sys.exit(f"{path} has {measure.frame_count(path)} frames instead of 30.")
    print(f"one second of 1080p, medians of {options.runs}:")
    for what in ("wall", "cpu"):
        ours, theirs = ([getattr(result, what) for result in times[side]] for side in sides)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"  {what}: cutroom {statistics.median(ours):.2f} s, ffmpeg {statistics.median(theirs):.2f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
