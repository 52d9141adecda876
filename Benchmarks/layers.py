#!/usr/bin/env python3
"""The "layers" workload in Cutroom beside one ffmpeg filter graph, in alternation in one run.

20 s of a 1080p file at 1280×720 and 30 fps; a second one as a picture in the picture, with its
sound; a sticker, a title, and subtitles from a file. Prints the medians of wall time, CPU time and
peak memory, and their ratios. Nothing is judged: the figures depend on the machine, and only those
of one run are to be compared.
"""
import os

import sides
import workload

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = 600


def subtitles(folder):
    """Ten of them, of one line and of two."""
    def stamp(seconds):
        return "00:00:%02d,%03d" % (int(seconds), round(seconds % 1 * 1000))
    words = "the quick brown fox jumps over a lazy dog while nobody looks at it".split()
    with open(f"{folder}/talk.srt", "w") as file:
        for i in range(10):
            second = f"line two of {i + 1}" if i % 2 else ""
            file.write(f"{i + 1}\n{stamp(2 * i + .1)} --> {stamp(2 * i + 1.9)}\n{' '.join(words[i % 5:i % 5 + 6])}\n{second}\n\n")


def ffmpeg(media, output):
    """One hand-written command."""
    graph = "[0:v]scale=1280:720,fps=30,format=yuv420p[m];[1:v]scale=384:216,fps=30,format=yuv420p[p];[m][p]overlay=872:480[l1];"
    graph += "[2:v]scale=160:160[st];[l1][st]overlay=40:40:enable='between(t,1,19)'[l2];"
    graph += "[l2]drawtext=text=Hello Cutroom:fontsize=64:fontcolor=white:x=(w-tw)/2:y=60:enable='lt(t,3)'[l3];"
    graph += f"[l3]subtitles={media}/talk.srt,format=yuv420p[vo];[1:a]volume=0.5[b];[0:a][b]amix=inputs=2:normalize=0:duration=first[ao]"
    return ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", f"{media}/a.mp4", "-i", f"{media}/b.mp4", "-i", f"{media}/sticker.png",
            "-filter_complex", graph, "-map", "[vo]", "-map", "[ao]", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "60",
            "-c:a", "aac", "-b:a", "128k", "-t", "20", output]


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="counted rounds, after one to warm up (default 3)")
    options = workload.parsed(parser)
    media = workload.make_media(options.media)
    subtitles(media)
    sides.compare(media, {"cutroom": sides.cutroom(options.program, f"{HERE}/layers.lua"), "ffmpeg": ffmpeg}, options.runs, FRAMES)


if __name__ == "__main__":
    main()
