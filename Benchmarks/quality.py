#!/usr/bin/env python3
"""How far Cutroom's picture of the "short" workload is from ffmpeg's, both encoded without loss:
PSNR in dB.

Twice: beside the command as one writes it, whose look goes through 8-bit RGB, and beside the same
with the look in 16 bits, which is what both mean. Left out are the first three seconds, whose title
the two write with different fonts, and what comes after the last join, where ffmpeg's xfade shows
each frame one frame late. The lowest figure is that of frame 600, in which ffmpeg's `between` still
shows the sticker.
"""
import os
import re
import subprocess
import tempfile

import peers
import workload
from workload import make_media

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = (90, 690)
PRECISE = "scale=in_color_matrix=bt709,format=gbrp16le,{look},scale=out_color_matrix=bt709"


def main():
    parser = workload.options(__doc__)
    options = parser.parse_args()
    media = make_media(options.media)
    with tempfile.TemporaryDirectory(prefix="cutroom-quality-") as folder:
        ours, theirs = f"{folder}/cutroom.mp4", f"{folder}/ffmpeg.mp4"
        subprocess.run([options.program, "render", f"{HERE}/short.lua", "--set", f"media={media}", "--set", "lossless=true", "-o", ours,
                        "--no-cache", "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        print("Cutroom's picture beside ffmpeg's, both without loss:")
        for name, change in (("as written", "{look}"), ("look in 16 bits", PRECISE)):
            render(media, theirs, change)
            print(f"  {name:16}" + ", ".join(f"{plane} {value} dB" for plane, value in compare(ours, theirs)), flush=True)


def render(media, output, change):
    command = peers.ffmpeg(media, output)
    at = command.index("-crf")
    command[at:at + 2] = ["-qp", "0"]
    at = command.index("-filter_complex") + 1
    look = f"lut3d={media}/look.cube"
    command[at] = command[at].replace(look, change.format(look=look))
    subprocess.run(command, check=True)


def compare(ours, theirs):
    part = "trim=start_frame={}:end_frame={},setpts=PTS-STARTPTS".format(*FRAMES)
    found = subprocess.run(
        ["ffmpeg", "-v", "info", "-nostdin", "-i", ours, "-i", theirs, "-lavfi", f"[0:v]{part}[a];[1:v]{part}[b];[a][b]psnr", "-f",
         "null", "-"], check=True, stderr=subprocess.PIPE, text=True).stderr
    line = next(line for line in found.splitlines() if "PSNR" in line)
    return re.findall(r"(\w+):([\d.inf]+)", line)


if __name__ == "__main__":
    main()
