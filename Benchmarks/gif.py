#!/usr/bin/env python3
"""Cutroom's GIFs beside those that ffmpeg makes of the same frames with palettegen and paletteuse:
PSNR in dB and bytes.

The frames are Cutroom's own, as PNG, and both GIFs are compared with them, in red, green and blue.
The clips are real footage (`--media`; the default is $CUTROOM_MEDIA), three seconds of each. "dots"
is the share of pixels that differ from their frame by more than 24 in a channel where the frame
itself is smooth: what is seen as specks on a wall. Needs NumPy.
"""
import glob
import os
import subprocess
import tempfile

import numpy

import workload

CLIPS = (("bigbuckbunny.mp4", 0), ("cockatoo.mp4", 0), ("lofoten.mp4", 1), ("palawan.mp4", 0), ("fire2.mp4", 0), ("changi.mp4", 0))
WIDTH, RATE, SECONDS = 400, 12.5, 3
SCRIPT = """local cutroom = require "cutroom"
local draft = cutroom.draft {{ size = {{ {width}, {height} }}, fps = "{rate}" }}
draft:add_clip("{path}", {{ range = {{ {start}, {seconds} }}, volume = 0 }})
return draft
"""


def main():
    parser = workload.options(__doc__)
    parser.set_defaults(media=workload.footage_folder() or "")
    options = parser.parse_args()
    print(f"{'clip':18} {'Cutroom':>9} {'ffmpeg':>9} {'':>7} {'Cutroom':>9} {'ffmpeg':>9} {'':>7} {'dots, ‰':>14}")
    for name, start in CLIPS:
        path = os.path.abspath(os.path.join(options.media, name))
        if not os.path.exists(path):
            print(f"{name:18} is not in {options.media}")
            continue
        with tempfile.TemporaryDirectory(prefix="cutroom-gif-") as folder:
            row(name, *compare(options.program, path, start, folder))


def row(name, ours, theirs):
    better, larger = ours[0] - theirs[0], 100 * (ours[1] / theirs[1] - 1)
    print(f"{name:18} {ours[0]:6.2f} dB {theirs[0]:6.2f} dB {better:+7.2f} {ours[1] / 1000:6.0f} kB {theirs[1] / 1000:6.0f} kB "
          f"{larger:+6.1f}% {1000 * ours[2]:7.2f} {1000 * theirs[2]:6.2f}", flush=True)


def compare(program, path, start, folder):
    """PSNR, bytes and dots of Cutroom's GIF and of ffmpeg's."""
    width, height = shape(path)
    script = f"{folder}/clip.lua"
    with open(script, "w") as file:
        file.write(SCRIPT.format(width=WIDTH, height=int(WIDTH * height / width / 2 + 0.5) * 2, rate=RATE, path=path, start=start,
                                 seconds=SECONDS))
    for output in (f"{folder}/frames/", f"{folder}/ours.gif"):
        subprocess.run([program, "render", script, "-o", output, "--progress", "none", "--no-cache"], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["ffmpeg", "-v", "error", "-framerate", str(RATE), "-i", f"{folder}/frames/%04d.png", "-vf",
                    "split[a][b];[a]palettegen[p];[b][p]paletteuse", f"{folder}/theirs.gif"], check=True)
    frames = pixels(["-framerate", str(RATE), "-i", sorted(glob.glob(f"{folder}/frames/*.png"))[0].replace("0001", "%04d")])
    return [measure(frames, f"{folder}/{name}.gif") for name in ("ours", "theirs")]


def shape(path):
    """Width and height as shown."""
    found = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-f", "image2pipe", "-c:v", "pam", "-"],
                           check=True, stdout=subprocess.PIPE).stdout
    head = dict(line.split(b" ", 1) for line in found[:200].split(b"ENDHDR")[0].split(b"\n")[1:] if b" " in line)
    return int(head[b"WIDTH"]), int(head[b"HEIGHT"])


def pixels(source):
    head = subprocess.run(["ffprobe", "-v", "error", *source, "-show_entries", "stream=width,height", "-of", "csv=p=0"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    width, height = (int(number) for number in head.strip().split(",")[:2])
    data = subprocess.run(["ffmpeg", "-v", "error", *source, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, height, width, 3).astype(numpy.int16)


def measure(frames, path):
    shown = pixels(["-i", path])
    # A GIF leaves out frames that change nothing; what it shows then is the frame before.
    assert shown.shape == frames.shape, (path, shown.shape, frames.shape)
    difference = frames - shown
    error = numpy.mean(numpy.square(difference.astype(numpy.float32)))
    smooth = numpy.zeros(frames.shape[:3], bool)
    inner = frames[:, 1:-1, 1:-1]
    around = [frames[:, 1 + y:frames.shape[1] - 1 + y, 1 + x:frames.shape[2] - 1 + x] for y in (-1, 0, 1) for x in (-1, 0, 1)]
    smooth[:, 1:-1, 1:-1] = numpy.max([numpy.abs(other - inner).max(axis=3) for other in around], axis=0) <= 8
    dots = numpy.mean((numpy.abs(difference).max(axis=3) > 24) & smooth)
    return 10 * numpy.log10(255 * 255 / error), os.path.getsize(path), dots


if __name__ == "__main__":
    main()
