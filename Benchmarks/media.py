"""Renders every file of the shared media and every oddity of oddities.py, compares the result with
what ffmpeg makes of the same file with explicit filters, and prints the table of
docs/reference/media-checks.md.

usage: media.py [--write] [--only TEXT]      --write: puts the table into docs/reference/media-checks.md      exit code 1: a check failed

Each render is lossless, without the cache, on a canvas of BT.709. Frames are compared one by one;
the table has the worst.
"""
import argparse
import array
import fractions
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import measure
from oddities import (BT709, CUT_OUT, FADING, FADING_RGB, PATTERN, X264, Folder, ffmpeg, flat_jpeg, jpeg_with_orientation,
                      png_with_orientation, tiff, webp_with_orientation, with_graphics_mode, with_wrapped_clock)
from workload import ROOT, footage_folder

CUTROOM = os.environ.get("CUTROOM") or os.path.join(ROOT, ".build", "release", "cutroom")
START, END = "<!-- media.py: begin -->", "<!-- media.py: end -->"
SCALE = "flags=bicubic+accurate_rnd+full_chroma_int"
BT601 = "colormatrix=src=bt601:dst=bt709"
BACKGROUND = (32, 96, 160)
# Exif's orientations as ffmpeg's filters.
UPRIGHT = {1: "null", 2: "hflip", 3: "hflip,vflip", 4: "vflip", 5: "transpose=0", 6: "transpose=1", 7: "transpose=3",
           8: "transpose=2"}


# Chroma that is not at the left in the source (4:4:4, JPEG) is moved there. swscale assumes that
# both are centred unless it gets the locations.
TO_LEFT = ":out_h_chr_pos=0"


def scaled(width, height, more="", in_range="tv", siting=""):
    return f"scale={width}:{height}:{SCALE}:in_range={in_range}:out_range=tv{siting},format=yuv420p" + (more and "," + more)


def seconds(text):
    """Of a time as Cutroom writes it, such as 5/2s."""
    return float(fractions.Fraction(text.rstrip("s")))


def from_rgb(width, height):
    return f"scale={width}:{height}:{SCALE}:out_color_matrix=bt709:out_range=tv,format=yuv420p"


def over_background(width, height, rate="25", fit=None, background=BACKGROUND):
    """A picture with alpha over the background, mixed in RGB of 16 bits before it is scaled."""
    color = "0x%02x%02x%02x" % background
    mixed = (f"format=gbrap[v];color={color}:s={fit or f'{width}x{height}'}:r={rate},format=gbrp[b];"
             f"[b][v]overlay=format=gbrp:alpha=straight:shortest=1:eof_action=endall")
    return mixed + "," + from_rgb(width, height)


class Check:
    """One row: a source, what was rendered of it, and what was found."""

    def __init__(self, folder, media):
        self.folder, self.media, self.rows, self.failed = folder, media, [], []

    def run(self, name, what, path, frames, *, size=(320, 180), fps="25", clip="", image=None, reference=None,
            decoder=(), least=40.0, patches=(), sound=None, background="#000000", before="", says=None, probe=None, inputs=None,
            memory=None):
        """ frames: how many there must be.      reference: filters that make the same picture of
        the same file. patches: (frame, x, y, colour).      sound: a tone's frequency, or the file
        to compare with. says: what the command must say.     probe: what probing must find. memory:
        bytes of one decoded picture; all processes together may take 1.5 times as much and 100 MB.
        """
        if self.only and self.only not in name:
            return
        found, problems = [], []
        try:
            info = json.loads(self.command("probe", path, "--json").stdout)
            for key, wanted in (probe or {}).items():
                value = info
                for part in key.split("."):
                    value = value.get(part) if isinstance(value, dict) else None
                (found if value == wanted else problems).append(f"{key.split('.')[-1]} {value}")
            output, said = self.render(path, size, fps, clip, image, background, before)
            if memory:
                peak = measure.run([CUTROOM, *self.arguments]).memory * (1 << 20)
                limit = 1.5 * memory + 100e6
                (found if peak <= limit else problems).append(f"at most {limit / 1e6:.0f} MB for {memory / 1e6:.0f} MB of picture"
                                                              if peak <= limit else f"{peak / 1e6:.0f} MB")
                print(f"{name}: {peak / 1e6:.0f} MB", file=sys.stderr)
            count = self.count(output)
            (found if count == frames else problems).append(f"{count} frames" if frames != 1 else "1 frame")
            if reference:
                psnr = self.psnr(output, inputs or [*decoder, "-i", path], reference, fps)
                (found if psnr >= least else problems).append("equal" if psnr == math.inf else f"{psnr:.1f} dB")
            for frame, x, y, color in patches:
                got = self.pixel(output, size, frame, x, y)
                off = max(abs(a - b) for a, b in zip(got, color))
                (found if off <= 2 else problems).append("#%02x%02x%02x at (%d, %d)" % (*got, x, y))
            if sound:
                (found if self.hears(output, sound) else problems).append(self.heard)
            if says:
                (found if says in said else problems).append(f"says “{says}”" if says in said else f"said {said!r}")
            elif said.strip():
                problems.append(f"said {said!r}")
            os.remove(output)
        except subprocess.CalledProcessError as error:
            said = error.stderr or str(error)
            problems.append((said if isinstance(said, str) else said.decode()).strip().splitlines()[-1])
        self.add(name, what, found, problems)

    def refuses(self, name, what, path, says):
        """A file that cannot be used must be refused with one sentence."""
        if self.only and self.only not in name:
            return
        result = subprocess.run([CUTROOM, "probe", path], capture_output=True, text=True, timeout=60)
        fine = result.returncode == 65 and len(result.stderr.splitlines()) == 1 and says in result.stderr
        self.add(name, what, [f"refused: “{says}”"] if fine else [], [] if fine else [result.stderr.strip()])

    def add(self, name, what, found, problems):
        print(f"{'FAILED' if problems else 'ok':7}{name}: {', '.join(found + ['WRONG: ' + p for p in problems])}", file=sys.stderr)
        self.rows.append((name, what, ", ".join(found + [f"**wrong: {p}**" for p in problems])))
        self.failed += problems

    def command(self, *arguments):
        return subprocess.run([CUTROOM, *arguments], check=True, capture_output=True, text=True, timeout=600)

    def render(self, path, size, fps, clip, image, background, before):
        script, output = os.path.join(self.folder, "case.lua"), os.path.join(self.folder, "case.mp4")
        add = (f"draft:add_image(path, {{ duration = {image}, {clip} }})" if image else f"draft:add_clip(path, {{ {clip} }})")
        with open(script, "w") as file:
            file.write(f"""local cutroom = require "cutroom"
local path = {json.dumps(path)}
local draft = cutroom.draft {{ size = {{ {size[0]}, {size[1]} }}, fps = "{fps}", background = "{background}" }}
{before}
{add}
draft.export = {{ video = {{ quality = 0, preset = "ultrafast" }} }}
return draft
""")
        self.arguments = ["render", script, "-o", output, "--no-cache", "--overwrite", "--progress", "none", "--workers", "1"]
        result = self.command(*self.arguments)
        return output, result.stderr

    def count(self, path):
        return int(subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
             "csv=p=0", path], check=True, capture_output=True, text=True).stdout.strip().strip(","))

    def psnr(self, output, inputs, reference, fps):
        # The worst frame's.
        step = "settb=1/1000,setpts=N"
        graph = f"[0:v]format=yuv420p,{step}[a];[1:v]{reference},{step}[b];[a][b]psnr=shortest=1"
        said = subprocess.run(
            ["ffmpeg", "-hide_banner", "-nostdin", "-i", output, *inputs, "-filter_complex", graph, "-f", "null", "-"],
            check=True, capture_output=True, text=True).stderr
        return float(re.search(r"PSNR .* min:(\S+)", said).group(1))

    def pixel(self, output, size, frame, x, y):
        data = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", output, "-vf",
             f"select=eq(n\\,{frame}),scale={SCALE}:in_color_matrix=bt709:in_range=tv,format=rgb24", "-frames:v", "1", "-f",
             "rawvideo", "-"], check=True, capture_output=True).stdout
        at = 3 * (y * size[0] + x)
        return tuple(data[at:at + 3])

    def samples(self, path, track=0):
        data = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", path, "-map", f"0:a:{track}", "-ar", "48000", "-ac", "1", "-f", "f32le", "-"],
            check=True, capture_output=True).stdout
        return array.array("f", data[:len(data) // 4 * 4])

    def hears(self, output, sound):
        got = self.samples(output)
        if isinstance(sound, str):
            wanted, best = self.samples(sound), (-1.0, 0)
            middle = range(24000, min(len(got), len(wanted)) - 24000, 3)
            for lag in range(-96, 97, 8):
                products = [sum(a * b for a, b in zip((got[i] for i in middle), (wanted[i + lag] for i in middle)))]
                energy = math.sqrt(sum(got[i] ** 2 for i in middle) * sum(wanted[i + lag] ** 2 for i in middle)) or 1
                best = max(best, (products[0] / energy, lag))
            self.heard = f"sound {best[0]:.3f} correlated, {best[1]} samples off"
            return best[0] > 0.95 and abs(best[1]) <= 8
        part = got[9600:38400]
        wave = [2 * math.pi * sound * i / 48000 for i in range(len(part))]
        real, imaginary = sum(s * math.cos(w) for s, w in zip(part, wave)), sum(s * math.sin(w) for s, w in zip(part, wave))
        level = 2 * math.hypot(real, imaginary) / len(part) / (math.sqrt(2 * sum(s * s for s in part) / len(part)) or 1)
        self.heard = f"a tone of {sound} Hz"
        return level > 0.95


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cutroom-media-") as folder:
        check = Check(folder, footage_folder())
        check.only = options.only
        sections = []
        for title, fill in (("Alpha", alpha), ("Images", images), ("Odd files", odd_files), ("Shared media", shared)):
            if title == "Shared media" and not check.media:
                print("there is no shared media; see Benchmarks/workload.py", file=sys.stderr)
                continue
            check.rows = []
            fill(check, Folder(os.path.join(folder, "media")))
            sections.append(f"### {title}\n\n| file | what it is | found |\n| --- | --- | --- |\n"
                            + "".join(f"| {' | '.join(row)} |\n" for row in check.rows))
    table = "\n".join(sections)
    if options.write and not options.only:
        document = os.path.join(ROOT, "docs", "reference", "media-checks.md")
        with open(document) as file:
            text = file.read()
        before, after = text.split(START)[0], text.split(END)[1]
        with open(document, "w") as file:
            file.write(before + START + "\n" + table + END + after)
    else:
        print(table)
    sys.exit(1 if check.failed else 0)


def alpha(check, made):
    """On a blue background: red and green hide under what is transparent."""
    common = dict(background="#%02x%02x%02x" % BACKGROUND)
    left = [(10, 20, 90, BACKGROUND)]
    straight = over_background(320, 180)
    vp8 = made.drawn("alpha.vp8.webm", FADING, "-pix_fmt", "yuva420p", "-c:v", "libvpx", "-auto-alt-ref", "0", "-b:v", "4M")
    vp9 = made.drawn("alpha.vp9.webm", FADING, "-pix_fmt", "yuva420p", "-c:v", "libvpx-vp9", "-b:v", "4M", "-cpu-used", "8")
    alpha_601 = "scale=in_color_matrix=bt601:in_range=tv:flags=accurate_rnd+full_chroma_int,"
    for path, decoder in ((vp8, "libvpx"), (vp9, "libvpx-vp9")):
        check.run(os.path.basename(path), "alpha as a second stream in WebM", path, 50, reference=alpha_601 + straight,
                  decoder=["-c:v", decoder], patches=left, probe={"video.has_alpha": True}, least=36, **common)
    prores = made.drawn("alpha.prores.mov", FADING, "-pix_fmt", "yuva444p10le", "-c:v", "prores_ks", "-profile:v", "4444")
    check.run("alpha.prores.mov", "ProRes 4444, 10 bits, straight alpha", prores, 50, reference=alpha_601 + straight,
              patches=left, least=38, **common)
    argb = made.drawn("argb.mov", FADING_RGB + ",premultiply=inplace=1", "-pix_fmt", "argb", "-c:v", "qtrle")
    plain = made.drawn("straight.qtrle.mov", FADING_RGB, "-pix_fmt", "argb", "-c:v", "qtrle")
    black = made.changed("premultiplied.qtrle.mov", argb, lambda data: with_graphics_mode(data, 0x102))
    check.run("premultiplied.qtrle.mov", "QuickTime Animation whose header says: premultiplied with black", black, 50,
              reference=straight, inputs=["-i", plain], least=38, patches=left, probe={"video.matte": "#000000"}, **common)
    check.run("straight.qtrle.mov", "the same, straight", plain, 50, reference=straight, patches=left, **common)
    for name, what, source, more in (
            ("alpha.png", "8 bits", FADING_RGB, ["-pix_fmt", "rgba"]), ("alpha16.png", "16 bits", FADING_RGB, ["-pix_fmt", "rgba64be"]),
            ("alpha.webp", "still", FADING_RGB, ["-c:v", "libwebp", "-lossless", "1"]), ("alpha.tiff", "straight", FADING_RGB, [])):
        still = made.drawn(name, source, "-frames:v", "1", *more)
        check.run(name, f"still picture with alpha, {what}", still, 25, image=1, reference=straight, inputs=["-loop", "1", "-i", still],
                  patches=left, **common)
    pixels = b"".join(bytes((x * a // 255, 200 * a // 255, 40 * a // 255, a)) for a in (0, 64, 128, 255) for _ in range(16)
                      for x in range(0, 256, 4))
    associated = made.file("premultiplied.tiff", lambda path: open(path, "wb").write(tiff(64, 64, pixels, 4, extra=1)))
    check.run("premultiplied.tiff", "TIFF that says: premultiplied", associated, 25, image=1, size=(64, 64),
              patches=[(0, 32, 8, BACKGROUND), (0, 32, 40, tuple(round(c * 128 / 255 + b * 127 / 255)
                       for c, b in zip((128, 200, 40), BACKGROUND))), (0, 32, 56, (128, 200, 40))], **common)
    for name, what, more in (("cut.gif", "animated GIF", []), ("cut.apng", "animated PNG", ["-f", "apng"]),
                             ("cut.webp", "animated WebP", ["-c:v", "libwebp_anim", "-lossless", "1", "-f", "webp"])):
        source = CUT_OUT if name != "cut.webp" else FADING_RGB
        moving = made.drawn(name, source, *(["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"] if name == "cut.gif" else []), *more)
        same = made.drawn("plain.mkv", FADING_RGB, "-c:v", "ffv1", "-pix_fmt", "bgra") if name == "cut.webp" else moving
        check.run(name, f"{what} with alpha as a clip", moving, 50, reference=straight, inputs=["-i", same],
                  patches=[(10, 10, 10, BACKGROUND)] if name != "cut.webp" else left, probe={"video.has_alpha": True}, **common)
    # As a sticker, half its size: what hides must not come through at the edge.
    check.run("alpha.png as a sticker", "scaled to half over grey", made.drawn("grey.mp4", "color=gray:s=320x180:r=25:d=1", *X264),
              25, before=f"""draft:add_effect("sticker", {{ image = "{os.path.join(made.path, 'alpha.png')}", rect = {{ 80, 40, 160, 90 }} }})""",
              inputs=["-loop", "1", "-i", os.path.join(made.path, "alpha.png")],
              reference=over_background(160, 90, fit="320x180", background=(128, 128, 128))
              + "[s];color=0x808080:s=320x180:r=25," + from_rgb(320, 180) + "[g];[g][s]overlay=80:40:shortest=1", least=38)


def images(check, made):
    plain = made.drawn("plain.jpg", "testsrc2=s=320x180", "-frames:v", "1", "-q:v", "2", "-pix_fmt", "yuvj444p")
    png = made.drawn("plain.png", "testsrc2=s=320x180", "-frames:v", "1")
    webp = made.drawn("plain.webp", "testsrc2=s=320x180", "-frames:v", "1", "-c:v", "libwebp", "-lossless", "1")
    rgb = subprocess.run(["ffmpeg", "-v", "error", "-i", png, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True,
                         capture_output=True).stdout
    for number in range(1, 9):
        turn, size = UPRIGHT[number], (320, 180) if number < 5 else (180, 320)
        files = [("jpg", plain, lambda data: jpeg_with_orientation(data, number), scaled(*size, BT601, "pc", TO_LEFT)),
                 ("png", png, lambda data: png_with_orientation(data, number), from_rgb(*size)),
                 ("webp", webp, lambda data: webp_with_orientation(data, number, 320, 180), from_rgb(*size)),
                 ("tiff", png, lambda _: tiff(320, 180, rgb, 3, number), from_rgb(*size))]
        for suffix, original, change, convert in files:
            path = made.changed(f"orientation{number}.{suffix}", original, change)
            check.run(os.path.basename(path), f"Exif orientation {number}", path, 25, image=1, size=size,
                      reference=f"{turn},{convert}", inputs=["-loop", "1", "-i", original], probe={"video.width": size[0]})
    for name, what, source, more, convert in (
            ("grey.jpg", "grey JPEG", "testsrc2=s=320x180,format=gray", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "gray"], scaled(320, 180, "", "pc")),
            ("16bit.png", "RGB of 16 bits", "testsrc2=s=320x180,format=rgb48", ["-pix_fmt", "rgb48be"], from_rgb(320, 180)),
            ("grey16.png", "grey of 16 bits", "testsrc2=s=320x180,format=gray16", ["-pix_fmt", "gray16be"], scaled(320, 180, "", "pc")),
            ("palette.png", "256 colours", "testsrc2=s=320x180", ["-pix_fmt", "pal8"], "format=rgb24," + from_rgb(320, 180)),
            ("plain.bmp", "BMP", "testsrc2=s=320x180", [], from_rgb(320, 180)),
            ("plain.tiff", "TIFF", "testsrc2=s=320x180", ["-pix_fmt", "rgb24"], from_rgb(320, 180)),
            ("lossy.webp", "WebP, lossy", "testsrc2=s=320x180", ["-c:v", "libwebp", "-q:v", "90"], "scale=in_range=tv:out_range=tv,format=yuv420p," + BT601),
            ("plain.jp2", "JPEG 2000", "testsrc2=s=320x180", ["-pix_fmt", "rgb24"], from_rgb(320, 180)),
            ("plain.jxl", "JPEG XL", "testsrc2=s=320x180", ["-c:v", "libjxl", "-distance", "0"], from_rgb(320, 180))):
        still = made.drawn(name, source, "-frames:v", "1", *more)
        check.run(name, what, still, 25, image=1, reference=convert, inputs=["-loop", "1", "-i", still])
    inks = [(255, 255, 255, 255), (0, 255, 255, 255), (255, 0, 255, 255), (255, 255, 0, 255), (255, 255, 255, 0), (128, 200, 90, 200)]
    blocks = [inks[x // 8] for y in range(8) for x in range(48)]
    cmyk = made.file("cmyk.jpg", lambda path: open(path, "wb").write(flat_jpeg(blocks, 48, 4, adobe=0)))
    check.run("cmyk.jpg", "CMYK as Adobe writes it", cmyk, 25, image=1, size=(384, 64),
              patches=[(0, 64 * i + 32, 32, tuple(round(c * ink[3] / 255) for c in ink[:3])) for i, ink in enumerate(inks)])
    for name, count, what in (("timed.gif", 20, "animated GIF"), ("timed.apng", 20, "animated PNG"), ("timed.webp", 20, "animated WebP")):
        more = {"gif": ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"], "apng": ["-f", "apng"],
                "webp": ["-c:v", "libwebp_anim", "-lossless", "1", "-f", "webp"]}[name.rpartition(".")[2]]
        moving = made.drawn(name, "testsrc2=s=320x180:r=10:d=2,format=rgba", *more)
        same = made.drawn("timed.mkv", "testsrc2=s=320x180:r=10:d=2,format=rgba", "-c:v", "ffv1", "-pix_fmt", "bgra") if name == "timed.webp" else moving
        check.run(name, f"{what}, 10 frames a second, at 25", moving, 50, reference="fps=25," + from_rgb(320, 180), inputs=["-i", same])
    large = made.drawn("large.jpg", "testsrc2=s=12000x8400", "-frames:v", "1", "-q:v", "4", "-pix_fmt", "yuvj420p")
    check.run("large.jpg", "12000×8400, 101 megapixels", large, 25, image=1, size=(1200, 840),
              reference=scaled(1200, 840, BT601, "pc"), inputs=["-loop", "1", "-i", large], memory=1.5 * 12000 * 8400)
    avif = made.drawn("plain.avif", "testsrc2=s=320x180", "-frames:v", "1", "-c:v", "libaom-av1", "-cpu-used", "8", "-still-picture", "1")
    check.run("plain.avif", "AVIF", avif, 25, image=1, reference="scale=in_range=tv:out_range=tv,format=yuv420p," + BT601, inputs=["-i", avif])
    heic = made.changed("plain.heic", avif, lambda data: data.replace(b"ftypavif", b"ftypheic", 1))
    check.refuses("plain.heic", "HEIC", heic, "HEIC")


def odd_files(check, made):
    tag = ["-vf", "scale=out_color_matrix=bt709,format=yuv420p", *BT709]
    whole = f"fps=25,{scaled(320, 180)}"
    gops = "bframes=3:b-adapt=0:keyint=20:min-keyint=20:scenecut=0"
    plain = made.drawn("plain.mp4", PATTERN, *tag, *X264, "-x264-params", gops)
    tone = ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=2"]
    for name, what, arguments in (
            ("open-gop.mp4", "open groups of pictures, H.264", [*tag, *X264, "-x264-params", gops + ":open-gop=1"]),
            ("open-gop-hevc.mp4", "open groups of pictures, HEVC (CRA, RASL)", [*tag, "-c:v", "libx265", "-x265-params", "log-level=none:open-gop=1:keyint=20:min-keyint=20:crf=10"]),
            ("refresh.mp4", "no IDR picture but the first: intra refresh, recovery points", [*tag, *X264, "-x264-params", "intra-refresh=1:keyint=20"]),
            ("mpeg2.ts", "MPEG-2, open groups, transport stream", [*tag, "-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "2"]),
            ("b-frames.avi", "B-frames in AVI, which has no presentation times", [*tag, "-c:v", "mpeg4", "-bf", "2", "-q:v", "2"]),
            ("444.mp4", "4:4:4", ["-vf", "scale=out_color_matrix=bt709,format=yuv444p", *BT709, *X264]),
            ("raw.h264", "no container, no timestamps", [*tag, *X264, "-bf", "0"])):
        path = made.drawn(name, PATTERN, *arguments)
        untagged, siting = BT601 if name.endswith(".avi") else "", TO_LEFT if name.startswith("444") else ""
        check.run(name, what, path, 50, reference="fps=25," + scaled(320, 180, untagged, siting=siting))
        if name != "raw.h264":
            check.run(name + " from 0.6 s", "cut into where no group begins", path, 25, clip="range = { 0.6, 1 }",
                      reference=f"fps=25,trim=start_frame=15:end_frame=40,setpts=PTS-STARTPTS,{scaled(320, 180, untagged, siting=siting)}")
    full = made.drawn("full-range.mp4", PATTERN, "-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuvj420p", "-colorspace", "bt709", "-color_range", "pc", *X264)
    check.run("full-range.mp4", "JPEG's full range", full, 50, reference="fps=25," + scaled(320, 180, "", "pc"))
    edit = made.encoded("edit-list.mp4", "-ss", "0.5", "-i", plain, "-c", "copy")
    check.run("edit-list.mp4", "an edit list: the first 13 frames are decoded, not shown", edit, 37, reference=whole)
    late = made.encoded("late-picture.mkv", "-f", "lavfi", "-i", "sine=f=440:r=48000:d=2", "-itsoffset", "0.4", "-i", plain, "-c:v", "copy", "-c:a", "flac")
    check.run("late-picture.mkv", "picture 0.4 s after sound; its first frame is held", late, 60, reference="fps=25:start_time=0," + scaled(320, 180), sound=440)
    wrapped = made.changed("wrapped.ts", made.encoded("clock.ts", "-i", plain, "-c", "copy"), lambda data: with_wrapped_clock(data, 90000))
    check.run("wrapped.ts", "the clock wraps around after one second", wrapped, 50, reference=scaled(320, 180), inputs=["-i", plain])
    check.run("wrapped.ts from 1.2 s", "cut in behind the wrap", wrapped, 15, clip="range = { 1.2, 0.6 }", inputs=["-i", plain],
              reference="trim=start_frame=30:end_frame=45,setpts=PTS-STARTPTS," + scaled(320, 180))
    jumpy = made.encoded("jumpy.mkv", "-i", plain, "-c", "copy", "-bsf:v", "setts=ts='if(eq(mod(N\\,10)\\,7)\\,TS-30\\,TS)'")
    check.run("jumpy.mkv", "timestamps that step back and forth by 30 ms", jumpy, 50)
    interlaced = made.drawn("interlaced.ts", "testsrc2=s=320x192:r=50:d=2,scroll=horizontal=0.03", "-vf", "tinterlace=interleave_top,fieldorder=tff,scale=out_color_matrix=bt709:interl=1,format=yuv420p,setfield=tff", *BT709,
                            "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-q:v", "2", "-r", "25")
    check.run("interlaced.ts", "50 fields a second: the first field of each frame where it is combed", interlaced, 50, size=(320, 192),
              reference="separatefields,select='not(mod(n,2))'," + scaled(320, 192))
    tracks = made.encoded(
        "tracks.mkv", "-i", plain, *(part for f in (440, 660, 880) for part in ("-f", "lavfi", "-i", f"sine=f={f}:r=48000:d=2")),
        "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "copy", "-c:a", "flac", "-metadata:s:a:0", "language=deu",
        "-metadata:s:a:1", "language=eng", "-metadata:s:a:2", "language=eng", "-metadata:s:a:2", "title=Commentary")
    for choice, heard in (("", 440), ("audio_track = 3", 880), ('audio_track = "eng"', 660)):
        check.run(f"tracks.mkv {choice}".strip(), "three sound tracks", tracks, 50, clip=choice, reference=whole, sound=heard)
    mp3 = made.encoded("mp3.mp4", "-i", plain, *tone, "-c:v", "copy", "-c:a", "libmp3lame", "-ar", "16000")
    check.run("mp3.mp4", "MP3 sound at 16 kHz in MP4", mp3, 50, reference=whole, sound=440)
    long = made.drawn("ten.mp4", "testsrc2=s=320x180:r=25:d=10", *tag, *X264, "-g", "25", "-bf", "0", "-movflags", "faststart")
    cut = made.changed("cut-off.mp4", long, lambda data: data[:len(data) * 6 // 10])
    ends = seconds(json.loads(check.command("probe", cut, "--json").stdout)["video"]["duration"]) if not check.only or "cut" in check.only else 0
    check.run("cut-off.mp4", "the last 40 % are missing", cut, round(ends * 25), says="was cut off: it ends at",
              reference=f"fps=25,{scaled(320, 180)}", least=38)
    matroska = made.encoded("ten.mkv", "-i", long, "-c", "copy")
    cut = made.changed("cut-off.mkv", matroska, lambda data: data[:len(data) * 6 // 10])
    check.run("cut-off.mkv", "the same in Matroska", cut, round(ends * 25), says="was cut off: it ends at", least=38)


def shared(check, made):
    at = check.media + "/"
    half = "fps={0},trim=start_frame={1}:end_frame={2},setpts=PTS-STARTPTS,"
    second = lambda rate, more: half.format(rate, rate, 2 * rate) + more
    one = "range = { 1, 1 }"
    check.run("bigbuckbunny.mp4", "H.264 720p25, AAC", at + "bigbuckbunny.mp4", 25, size=(640, 360), clip=one, reference=second(25, scaled(640, 360)))
    check.run("bigbuckbunny.mp4, its sound", "all of it", at + "bigbuckbunny.mp4", 132, sound=at + "bigbuckbunny.mp4")
    check.run("cockatoo.mp4", "H.264 4:4:4, MP3 at 16 kHz in MP4", at + "cockatoo.mp4", 280, size=(640, 360), fps="20",
              reference="fps=20," + scaled(640, 360))
    check.run("lofoten.mp4", "23.976 fps, sound shorter than picture", at + "lofoten.mp4", 106, size=(512, 376), fps="24000/1001", clip='mode = "stretch"',
              reference="fps=24000/1001," + scaled(512, 376))
    check.run("palawan.mp4", "HEVC, full range", at + "palawan.mp4", 30, size=(640, 360), fps="30", clip=one, reference=second(30, scaled(640, 360, "", "pc")))
    check.run("changi.mp4", "HEVC 2160×3840", at + "changi.mp4", 30, size=(540, 960), fps="30", clip=one, reference=second(30, scaled(540, 960)))
    color = "0x%02x%02x%02x" % BACKGROUND
    check.run("dancer1.webm", "VP8 with alpha, no duration", at + "dancer1.webm", 25, size=(640, 360), clip=one,
              background="#%02x%02x%02x" % BACKGROUND, decoder=["-c:v", "libvpx"], patches=[(5, 8, 8, BACKGROUND)],
              reference=second(25, "scale=in_color_matrix=bt601:in_range=tv:flags=accurate_rnd+full_chroma_int," + over_background(640, 360)))
    check.run("hdr.mov", "HEVC HLG, turned by −90°, variable rate, data tracks; for its colours see above", at + "hdr.mov", 30, size=(360, 640), fps="30", clip=one,
              probe={"video.width": 1080, "video.height": 1920})
    check.run("fire2.mp4", "turned by 180°, variable rate", at + "fire2.mp4", 25, size=(640, 360), clip="range = { 0, 1 }",
              reference=half.format(25, 0, 25) + scaled(640, 360))
    check.run("no_duration.webm", "VP9 and Opus without a duration", at + "no_duration.webm", 25, size=(640, 360), clip="range = { 0.5, 1 }",
              reference="setpts=PTS-0.5/TB,fps=25:start_time=0," + scaled(640, 360))
    for name in ("img1.jpg", "img2.jpg", "pano.jpg"):
        size = (800, 600) if name != "pano.jpg" else (1000, 256)
        check.run(name, "photo", at + name, 25, image=1, size=size, clip='mode = "stretch"', reference=scaled(*size, BT601, "pc"), inputs=["-loop", "1", "-i", at + name])
    for name, size in (("emoji.png", (128, 128)), ("vignette.png", (416, 312))):
        check.run(name, "PNG with alpha", at + name, 25, image=1, size=size, clip='mode = "stretch"', background="#%02x%02x%02x" % BACKGROUND,
                  reference=over_background(*size, fit="512x512" if name[0] == "e" else "835x626"), inputs=["-loop", "1", "-i", at + name])
    for name in ("lookup.png", "lookup_amatorka.png", "lookup_miss_etikate.png"):
        check.run(name, "look-up image, here as a picture", at + name, 25, image=1, size=(256, 256), reference=from_rgb(256, 256), inputs=["-loop", "1", "-i", at + name])
    base = made.drawn("base.mp4", "testsrc2=s=320x180:r=25:d=2", *X264)
    for name in ("sample1.m4a", "sample2.m4a", "Julen_ribas.m4a"):
        check.run(name, "AAC under a picture", base, 50, before=f'draft:add_audio("{at + name}", {{ range = {{ 0, 2 }} }})', sound=at + name)


if __name__ == "__main__":
    main()
