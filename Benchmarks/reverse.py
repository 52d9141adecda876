#!/usr/bin/env python3
"""The workload "reverse": a small change over a clip that plays backwards, beside the same change
over it forwards.

The clip is 20 s of 1080p footage, once with a key frame every 250 frames and once with one every
30. Its title is changed: over the whole clip, or over two seconds. Each round begins with an empty
cache of its own and a first render, which is not counted. Prints the times, and the medians of the
ratios of wall and CPU time.
"""
import os
import statistics
import tempfile

import measure
import workload
from workload import ffmpeg, make_media

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = (250, 30)
CHANGES = {"all": ("0", "20"), "two seconds": ("9", "2")}


def make_clip(media, group):
    """The clip with a key frame every `group` frames, made once."""
    path = f"{media}/reverse-{group}.mp4"
    if not os.path.exists(path):
        ffmpeg("-i", f"{media}/a.mp4", "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-g", str(group),
               "-keyint_min", str(group), "-sc_threshold", "0", f"{path}.part.mp4")
        os.rename(f"{path}.part.mp4", path)
    return path


def rendered(options, clip, folder, reverse, change, title):
    """What a render takes."""
    start, duration = CHANGES[change]
    return measure.run([options.program, "render", f"{HERE}/reverse.lua", "--set", f"file={clip}", "--set",
                        f"reverse={'true' if reverse else 'false'}", "--set", f"start={start}", "--set",
                        f"duration={duration}", "--set", f"title={title}", "-o", f"{folder}/out.mp4", "--overwrite",
                        "--progress", "none"])


def changed(options, clip, reverse, change):
    """What a render takes after its title was changed."""
    with tempfile.TemporaryDirectory(prefix="cutroom-reverse-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        return [rendered(options, clip, folder, reverse, change, title) for title in ("Hello", "Hello again")][1]


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    options = workload.parsed(parser)
    media = make_media(options.media)
    for group in GROUPS:
        clip = make_clip(media, group)
        for change in CHANGES:
            walls, cpus = [], []
            for number in range(options.runs):
                sides = {}
                for reverse in measure.order((False, True), number):
                    sides[reverse] = changed(options, clip, reverse, change)
                forwards, backwards = sides[False], sides[True]
                walls.append(backwards.wall / forwards.wall)
                cpus.append(backwards.cpu / forwards.cpu)
                print(f"  groups of {group}, {change}, round {number + 1}: forwards {forwards.wall:.2f} s (CPU "
                      f"{forwards.cpu:.2f} s), backwards {backwards.wall:.2f} s (CPU {backwards.cpu:.2f} s), memory "
                      f"{forwards.memory:.0f} and {backwards.memory:.0f} MiB", flush=True)
            print(f"reverse ÷ forwards, groups of {group}, {change}, median of {options.runs}: wall "
                  f"{statistics.median(walls):.3f}, CPU {statistics.median(cpus):.3f}")


if __name__ == "__main__":
    main()
