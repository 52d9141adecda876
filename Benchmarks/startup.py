#!/usr/bin/env python3
"""The "startup" workload: what a render costs besides its encode, with a draft of one second of 1080p.

One second is one segment, which one worker encodes with one thread; beside it ffmpeg makes the same second with one thread of decoding
and one of encoding, by the same encoder, preset and quality, in turns. What is left is Cutroom's own: the host, two workers, the probe, the
plan, the sound, assembling, verifying and syncing to disk. The cache is not used.
"""
import os
import statistics
import tempfile

import measure
import workload

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=9, help="counted rounds, after one to warm up (default 9)")
    options = parser.parse_args()
    source = workload.make_media(options.media) + "/a.mp4"
    with tempfile.TemporaryDirectory(prefix="cutroom-startup-") as folder:
        sides = {
            "cutroom": [options.program, "render", f"{HERE}/startup.lua", "--set", f"source={source}", "-o", f"{folder}/ours.mp4",
                        "--overwrite", "--no-cache", "--progress", "none"],
            "ffmpeg": ["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1", "-ss", "1", "-t", "1", "-i", source, "-c:v", "libx264",
                       "-threads", "1", "-preset", "veryfast", "-crf", "20", "-c:a", "aac", "-movflags", "faststart",
                       f"{folder}/theirs.mp4"],
        }
        times = {side: [] for side in sides}
        for number in range(options.runs + 1):
            for side in list(sides) if number % 2 == 0 else reversed(list(sides)):
                result = measure.run(sides[side])
                if number > 0:
                    times[side].append(result)
    print(f"one second of 1080p, medians of {options.runs}:")
    for what in ("wall", "cpu"):
        ours, theirs = ([getattr(result, what) for result in times[side]] for side in sides)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"  {what}: cutroom {statistics.median(ours):.2f} s, ffmpeg with one thread {statistics.median(theirs):.2f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
