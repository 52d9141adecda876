"""The sources of the "short" workload, and what others need to make the same video of them."""
import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOOTAGE = ("lofoten.mp4", "palawan.mp4", "bigbuckbunny.mp4", "lookup_amatorka.png", "emoji.png")
SOURCES, OFFSETS = "abcabcabca", (0, 0, 0, 4, 4, 4, 8, 8, 8, 12)
FRAMES = 765


def options(description):
    """A parser with what every benchmark asks for: the program and the sources' folder."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--program", default=f"{ROOT}/.build/release/cutroom", help="the cutroom to measure")
    parser.add_argument("--media", default=f"{ROOT}/out/bench", help="the folder for the sources")
    return parser


def parsed(parser):
    """The options, or the end where there is nothing to measure."""
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    if not os.access(options.program, os.X_OK):
        sys.exit(f"There is no program {options.program}; build it with ‘make build’.")
    return options


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], check=True)


def footage_folder():
    """Where real footage is: $CUTROOM_MEDIA, else ../shared/media beside the project; None where
    there is none.
    """
    for folder in (os.environ.get("CUTROOM_MEDIA"), os.path.join(ROOT, "..", "shared", "media")):
        if folder and all(os.path.isfile(os.path.join(folder, name)) for name in FOOTAGE):
            return os.path.abspath(folder)
    return None


def make_media(parent):
    """Three 20 s 1080p30 H.264 files with closed 2 s GOPs, a minute of music, a look of 64 points,
    a sticker. Made once.

    Returns their folder.
    """
    footage = footage_folder()
    folder = os.path.join(os.path.abspath(parent), "footage" if footage else "drawn")
    marker = os.path.join(folder, "complete")
    if os.path.exists(marker):
        return folder
    print(f"making the sources in {folder} of {'the footage in ' + footage if footage else 'drawings'}", flush=True)
    os.makedirs(folder, exist_ok=True)
    pictures(folder, footage) if footage else drawn_pictures(folder)
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=c=pink:r=48000:a=0.1:s=7,lowpass=2000", "-t", "60", "-ac", "2", "-c:a", "aac",
           f"{folder}/music.m4a")
    open(marker, "w").close()
    return folder


def encode(*rate):
    return ("-t", "20", "-c:v", "libx264", "-preset", "veryfast", *rate, "-g", "60", "-c:a", "aac", "-ar", "48000", "-ac", "2")


def pictures(folder, footage):
    quality = encode("-crf", "18")
    fill = "scale=1920:1080:force_original_aspect_ratio=increase,crop=1920:1080,fps=30,format=yuv420p"
    full_range = "scale=1920:1080:in_range=pc:out_range=tv,fps=30,format=yuv420p"
    for name, file, scale, tone in (("a", "lofoten.mp4", fill, 440), ("b", "palawan.mp4", full_range, 660)):
        ffmpeg("-stream_loop", "6", "-i", f"{footage}/{file}", "-f", "lavfi", "-i", f"sine=f={tone}:r=48000", "-map", "0:v",
               "-map", "1:a", "-vf", scale, *quality, f"{folder}/{name}.mp4")
    ffmpeg("-stream_loop", "3", "-i", f"{footage}/bigbuckbunny.mp4", "-vf", "scale=1920:1080,fps=30,format=yuv420p", *quality,
           f"{folder}/c.mp4")
    ffmpeg("-i", f"{footage}/emoji.png", f"{folder}/sticker.png")
    # A 512×512 look-up image: 8×8 tiles of 64×64, red across a tile, green down it, blue by tile.
    image = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", f"{footage}/lookup_amatorka.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        check=True, stdout=subprocess.PIPE).stdout

    def look(r, g, b):
        at = (((b // 8) * 64 + g) * 512 + (b % 8) * 64 + r) * 3
        return [value / 255 for value in image[at:at + 3]]

    write_cube(f"{folder}/look.cube", look)


def drawn_pictures(folder):
    """Pictures with noise in them and footage's bit rate, so that decoding costs about what it
    costs with footage. They are BT.709: written with another matrix, their full colours would lie
    outside RGB, where each program clips in its own way."""
    patterns = {"a": "testsrc2=s=1920x1080:r=30", "b": "smptehdbars=s=1920x1080:r=30,scroll=horizontal=0.003",
                "c": "testsrc=s=1920x1080:r=30"}
    for index, (name, picture) in enumerate(patterns.items()):
        ffmpeg("-f", "lavfi", "-i", f"{picture},scale=out_color_matrix=bt709,format=yuv420p,noise=alls=6:allf=t:all_seed={index + 1}", "-f", "lavfi", "-i",
               f"sine=f={440 + 220 * index}:r=48000", *encode("-b:v", "14M", "-maxrate", "14M", "-bufsize", "28M"),
               f"{folder}/{name}.mp4")
    ffmpeg("-f", "lavfi", "-i", "color=black:s=160x160:d=1,format=gbrap,"
           "geq=r=255:g=200:b=40:a='255*clip(75-hypot(X-80,Y-80)\\,0\\,1)'", "-frames:v", "1", f"{folder}/sticker.png")

    def look(r, g, b):
        x, y, z = r / 63, g / 63, b / 63
        return x ** 0.85, y ** 0.95 * (0.9 + 0.1 * x), z ** 1.15 * 0.85 + 0.05 * (1 - y)

    write_cube(f"{folder}/look.cube", look)


def write_cube(path, look):
    with open(path, "w") as cube:
        cube.write("LUT_3D_SIZE 64\n")
        for b in range(64):
            for g in range(64):
                for r in range(64):
                    cube.write("%.6f %.6f %.6f\n" % tuple(look(r, g, b)))
