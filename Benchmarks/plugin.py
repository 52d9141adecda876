#!/usr/bin/env python3
"""The "plugin" workload: 20 s of 1080p through an inverting plugin, beside libavfilter's `negate`,
in turns in one run.

Both sides decode one H.264 file, negate each frame (255 less each sample, 8-bit 4:2:0) and encode
it with libx264 (ultrafast, CRF 23); each runs with and without the negation, with one thread for
each step: cutroom with one worker, ffmpeg with -threads 1 and -filter_threads 1. What is compared
is processor time per frame, of all processes together: that of the whole work, and what the
negation adds, which is the difference. On Cutroom's side that is everything that a filter costs
there: the breadcrumb before the call, parameters, the output's memory and its clearing, the call
across the interface, in a worker that is isolated; on ffmpeg's the filter graph. All of it runs on
one processor: two that share a core slow one another, and only Cutroom would use a second.

Two figures: of the whole, and of what is added. The second is the difference of two times that are
ten times as long, so it is noisy on a busy machine: the median of many rounds counts. The frames of
both sides are compared first: they must be the same arithmetic. Nothing is judged.
"""
import os
import statistics
import subprocess
import sys
import tempfile

import measure
import workload

HERE = os.path.dirname(os.path.abspath(__file__))
RATE = 30


def build(folder):
    library = f"{folder}/negate.so"
    subprocess.run(["cc", "-std=c11", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-I", f"{workload.ROOT}/Sources/PluginABI/include",
                    "-o", library, f"{HERE}/negate.c"], check=True)
    return library


def cutroom(program, library, source, seconds, negates, output, *more):
    return [program, "render", f"{HERE}/plugin.lua", "--set", f"source={source}", "--set", f"seconds={seconds}", "--set",
            f"negates={str(negates).lower()}", "-o", output, "--plugin-path", library, "--workers", "1", "--overwrite", "--no-cache", "--progress", "none", *more]


def ffmpeg(source, seconds, negates, output, *quality):
    return ["ffmpeg", "-v", "error", "-nostdin", "-y", "-filter_threads", "1", "-threads", "1", "-i", source, "-t", str(seconds), "-an",
            *(["-vf", "negate"] if negates else []), "-c:v", "libx264", "-threads", "1", "-preset", "ultrafast",
            *(quality or ("-crf", "23")), output]


def same_arithmetic(program, library, source, folder):
    """Ends the benchmark where the two sides' negated frames differ, both without loss."""
    sums = []
    for command in (cutroom(program, library, source, 2, True, f"{folder}/ours.mp4", "--quality", "0"),
                    ffmpeg(source, 2, True, f"{folder}/theirs.mp4", "-qp", "0")):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        output = f"{folder}/ours.mp4" if command[0] == program else f"{folder}/theirs.mp4"
        sums.append(subprocess.run(["ffmpeg", "-v", "error", "-i", output, "-map", "0:v", "-f", "framemd5", "-"],
                                   check=True, stdout=subprocess.PIPE, text=True).stdout)
    frames = [[line.split(",")[-1].strip() for line in text.splitlines() if not line.startswith("#")] for text in sums]
    if frames[0] != frames[1]:
        sys.exit("The two sides do not make the same frames, so there is nothing to compare.")


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="counted rounds, after one to warm up (default 5)")
    parser.add_argument("--seconds", type=int, default=20, help="how much of the source (default 20, which is all)")
    options = workload.parsed(parser)
    source = workload.make_media(options.media) + "/a.mp4"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="cutroom-plugin-") as folder:
        library = build(folder)
        same_arithmetic(options.program, library, source, folder)
        sides = {
            ("cutroom", negates): cutroom(options.program, library, source, options.seconds, negates, f"{folder}/ours.mp4")
            for negates in (False, True)
        } | {("ffmpeg", negates): ffmpeg(source, options.seconds, negates, f"{folder}/theirs.mp4") for negates in (False, True)}
        times = {side: [] for side in sides}
        for number in range(options.runs + 1):
            for side in measure.order(sides, number):
                result = measure.run(sides[side])
                if number > 0:
                    times[side].append(result.cpu * 1000 / (options.seconds * RATE))
            if number > 0:
                print(f"  round {number}: " + ", ".join(
                    f"{name}{' negating' if negates else ''} {times[name, negates][-1]:.2f}" for name, negates in sides)
                    + " ms of processor time per frame", flush=True)
    added = {name: [on - off for off, on in zip(times[name, False], times[name, True])] for name in ("cutroom", "ffmpeg")}
    whole = statistics.median(a / b for a, b in zip(times["cutroom", True], times["ffmpeg", True]))
    ours, theirs = statistics.median(added["cutroom"]), statistics.median(added["ffmpeg"])
    print(f"decoding, negating and encoding a frame, cutroom ÷ ffmpeg, median of {options.runs}: {whole:.2f}")
    ratio = f"{ours / theirs:.2f}" if min(ours, theirs) > 0 else "below what this machine can measure"
    print(f"what negating adds: {ours:.2f} ms ÷ {theirs:.2f} ms (medians) = {ratio}")


if __name__ == "__main__":
    main()
