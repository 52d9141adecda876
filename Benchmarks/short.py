#!/usr/bin/env python3
"""The "short" workload in Cutroom beside one hand-written ffmpeg command, in alternation in one
run.

Ten 3 s pieces of three 1080p sources with 0.5 s dissolves, scaled to 1280×720 at 30 fps, a look, a
sticker, a title and music: 25.5 s. Prints the medians of wall time, CPU time and peak memory, and
their ratios. Cutroom neither uses nor keeps rendered segments here. Real footage is used where
$CUTROOM_MEDIA or ../shared/media has it; else ffmpeg draws the sources. Nothing is judged: the
figures depend on the machine, and only those of one run are to be compared.
"""
import os

import peers
import sides
import workload
from workload import FRAMES, make_media

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="counted rounds, after one to warm up (default 3)")
    parser.add_argument("--peers", action="store_true", help="in the first round also melt and MoviePy, where installed: they are slow")
    options = workload.parsed(parser)

    media = make_media(options.media)
    commands = {"cutroom": sides.cutroom(options.program, f"{HERE}/short.lua"), "ffmpeg": peers.ffmpeg}
    slow = peers.installed() if options.peers else {}
    sides.compare(media, commands, options.runs, FRAMES, slow)


if __name__ == "__main__":
    main()
