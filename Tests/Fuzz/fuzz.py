"""Puts damaged media through `cutroom probe` and `cutroom render`, always the same for the same
seed.

usage: fuzz.py [--count 2000] [--seed 1] [--keep FOLDER]      exit code 1: something was found

Each case is a small piece of a real or drawn file with one kind of damage. What must hold of both
commands: an exit code of sysexits.h that docs name (never a signal), at most one sentence on
standard error for each failure, an end within the limit, no process and no file left behind. A
worker that dies of a file is within these rules, and is counted.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CUTROOM = os.environ.get("CUTROOM") or os.path.join(ROOT, ".build", "release", "cutroom")
REAL = os.environ.get("CUTROOM_MEDIA") or os.path.join(ROOT, "..", "shared", "media")
LIMIT = 120  # seconds for a render, and for each probed file of a batch
BATCH = 25
PIECE = 300_000  # bytes
# Success, usage, data, no input, unavailable, software, cannot create, input or output.
CODES = {0, 64, 65, 66, 69, 70, 73, 74}

DRAWN = {
    "h264.mp4": "-f lavfi -i testsrc2=s=160x90:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac",
    "fragmented.mp4": "-f lavfi -i testsrc2=s=160x90:d=1 -c:v libx264 -g 10 -movflags frag_keyframe+empty_moov",
    "hevc.mov": "-f lavfi -i testsrc2=s=160x90:d=1 -c:v libx265 -x265-params log-level=none",
    "vp8-alpha.webm": "-f lavfi -i testsrc2=s=160x90:d=1,format=yuva420p,colorchannelmixer=aa=0.5 -c:v libvpx -auto-alt-ref 0",
    "vp9-alpha.webm": "-f lavfi -i testsrc2=s=160x90:d=0.5,format=yuva420p,colorchannelmixer=aa=0.5 -c:v libvpx-vp9 -cpu-used 8",
    "av1.mkv": "-f lavfi -i testsrc2=s=160x90:d=0.5 -c:v libaom-av1 -cpu-used 8",
    "tracks.mkv": "-f lavfi -i testsrc2=s=160x90:d=1 -f lavfi -i sine=d=1 -f lavfi -i sine=d=1 -map 0 -map 1 -map 2 -c:v libx264 -c:a libopus",
    "prores.mov": "-f lavfi -i testsrc2=s=160x90:d=0.2,format=yuva444p10 -c:v prores_ks -profile:v 4444",
    "qtrle.mov": "-f lavfi -i testsrc2=s=160x90:d=0.5,format=argb -c:v qtrle",
    "mpeg2.ts": "-f lavfi -i testsrc2=s=160x90:d=1 -f lavfi -i sine=d=1 -c:v mpeg2video -flags +ildct+ilme -c:a mp2",
    "mpeg4.avi": "-f lavfi -i testsrc2=s=160x90:d=1 -f lavfi -i sine=d=1 -c:v mpeg4 -bf 2 -c:a libmp3lame",
    "flash.flv": "-f lavfi -i testsrc2=s=160x90:d=1 -f lavfi -i sine=d=1:r=44100 -c:v flv -c:a libmp3lame",
    "raw.h264": "-f lavfi -i testsrc2=s=160x90:d=1 -c:v libx264",
    "moving.gif": "-f lavfi -i testsrc2=s=120x80:r=10:d=1",
    "moving.apng": "-f lavfi -i testsrc2=s=120x80:r=10:d=1,format=rgba -f apng",
    "moving.webp": "-f lavfi -i testsrc2=s=120x80:r=10:d=1,format=yuva420p -c:v libwebp_anim",
    "still.webp": "-f lavfi -i testsrc2=s=120x80 -frames:v 1 -c:v libwebp",
    "still.png": "-f lavfi -i testsrc2=s=120x80,format=rgba64 -frames:v 1",
    "still.jpg": "-f lavfi -i testsrc2=s=320x200 -frames:v 1",
    "still.tiff": "-f lavfi -i testsrc2=s=120x80,format=rgba -frames:v 1",
    "still.bmp": "-f lavfi -i testsrc2=s=120x80 -frames:v 1",
    "still.exr": "-f lavfi -i testsrc2=s=120x80,format=gbrapf32 -frames:v 1",
    "still.jp2": "-f lavfi -i testsrc2=s=120x80 -frames:v 1",
    "still.jxl": "-f lavfi -i testsrc2=s=120x80 -frames:v 1 -c:v libjxl",
    "sound.wav": "-f lavfi -i sine=d=0.5", "sound.mp3": "-f lavfi -i sine=d=1", "sound.flac": "-f lavfi -i sine=d=1",
    "sound.ogg": "-f lavfi -i sine=d=1", "sound.m4a": "-f lavfi -i sine=d=1",
}


def ffmpeg(*arguments):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], capture_output=True).returncode == 0


def names():
    """What pieces there may be: drawn ones, a look, and ones that are cut from the shared media."""
    real = [name for name in os.listdir(REAL) if name.endswith((".jpg", ".png", ".mp4", ".mov", ".webm", ".m4a"))] if os.path.isdir(REAL) else []
    return sorted([*DRAWN, "look.cube", *(f"real-{name}" for name in real)])


def piece(folder, name):
    """The first bytes of a small whole file; none where this ffmpeg cannot make it."""
    target = os.path.join(folder, name)
    if name in DRAWN:
        if not ffmpeg(*DRAWN[name].split(), target):
            print(f"this ffmpeg cannot make {name}", file=sys.stderr)
    elif name == "look.cube":
        with open(target, "w") as file:
            file.write("LUT_3D_SIZE 2\n" + "\n".join(f"{r} {g} {b}" for b in (0, 1) for g in (0, 1) for r in (0, 1)) + "\n")
    else:
        path = os.path.join(REAL, name.removeprefix("real-"))
        if path.endswith((".jpg", ".png")):
            ffmpeg("-i", path, "-vf", "scale='min(iw,400)':-1", "-map_metadata", "0", target)
        else:
            # With all its streams, as far as they can be copied.
            ffmpeg("-i", path, "-t", "0.4", "-map", "0", "-ignore_unknown", "-c", "copy", target) or ffmpeg(
                "-i", path, "-t", "0.4", "-c", "copy", target)
    if not os.path.exists(target):
        return b""
    with open(target, "rb") as file:
        return file.read(PIECE)


# Kinds of damage: a random source and a file's bytes in, other bytes out.

def truncated(dice, data):
    return data[:dice.randrange(1, len(data))]


def flipped(dice, data):
    data = bytearray(data)
    for _ in range(2 ** dice.randrange(0, 9)):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def overwritten(dice, data):
    start = dice.randrange(len(data))
    count = min(dice.choice((4, 64, 1024, 16384)), len(data) - start)
    fill = dice.choice((b"\0" * count, b"\xff" * count, dice.randbytes(count)))
    return data[:start] + fill + data[start + count:]


def removed(dice, data):
    start = dice.randrange(len(data))
    return data[:start] + data[start + dice.choice((1, 4, 188, 4096, 50_000)):] or data[:1]


def doubled(dice, data):
    start = dice.randrange(len(data))
    end = min(len(data), start + dice.choice((4, 188, 4096, 50_000)))
    return data[:end] + data[start:]


def header(dice, data):
    """Where the format says what is in it: the first bytes, and in QuickTime's kin the index,
    wherever it lies.
    """
    data, index = bytearray(data), data.find(b"moov")
    start = index if index >= 0 and dice.random() < 0.7 else 0
    for _ in range(dice.randrange(1, 12)):
        at = min(len(data) - 1, start + dice.randrange(dice.choice((32, 512, 4096))))
        data[at] = dice.choice((0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)))
    return bytes(data)


def numbers(dice, data):
    """Numbers of four bytes that are as large as can be."""
    data = bytearray(data)
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(min(len(data), dice.choice((64, 1024, PIECE))))
        value = dice.choice((0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, len(data) + 1))
        data[at:at + 4] = value.to_bytes(4, dice.choice(("big", "little")))
    return bytes(data)


def swapped(dice, data):
    """Two parts in each other's place."""
    a, b, c = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


DAMAGE = [truncated, flipped, overwritten, removed, doubled, header, numbers, swapped]

SCRIPT = """local cutroom = require "cutroom"
local path = %s
local info = cutroom.probe(path)
local draft = cutroom.draft { size = { 64, 36 }, fps = 10, time_range = { 0, 0.3 } }
if info.kind == "image" then draft:add_image(path, { duration = 1 })
elseif info.has_picture then draft:add_clip(path)
else
  draft:add_image(%s, { duration = 1 })
  if info.kind == "cube" then draft:add_effect("lut", { image = path }) else draft:add_audio(path) end
end
draft.export = { video = { preset = "ultrafast" } }
return draft
"""


class Run:
    def __init__(self, folder, keep):
        self.folder, self.keep = folder, keep
        self.outcomes, self.findings, self.worst = collections.Counter(), [], (0, "")
        self.places = {name: os.path.join(folder, name) for name in ("cache", "temporary", "runtime", "out")}
        for place in self.places.values():
            os.makedirs(place)
        self.mark = f"cutroom-fuzz-{os.getpid()}-{random.SystemRandom().randrange(1 << 40):x}"
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.places["cache"], TMPDIR=self.places["temporary"],
                                XDG_RUNTIME_DIR=self.places["runtime"], CUTROOM_FUZZ_MARK=self.mark)
        self.still = os.path.join(folder, "still.png")
        ffmpeg("-f", "lavfi", "-i", "color=gray:s=64x36", "-frames:v", "1", self.still)

    def command(self, arguments, limit):
        """Exit code (None: too slow), output and error text."""
        start = time.monotonic()
        process = subprocess.Popen([CUTROOM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment, cwd=self.folder)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return None, out.decode(), err.decode(errors="replace")
        self.worst = max(self.worst, (time.monotonic() - start, arguments[-1]))
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def left_behind(self):
        """Processes that carry this run's mark, and files where none should be."""
        left = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        if self.mark.encode() in file.read() and int(entry) != os.getpid():
                            with open(f"/proc/{entry}/stat") as stat:
                                if stat.read().rsplit(")", 1)[1].split()[0] != "Z":
                                    left.append(f"process {entry}")
                except OSError:
                    pass
        for name in ("temporary", "runtime", "out", "cache/cutroom/parts"):
            place = os.path.join(self.folder, name)
            left += [f"{name}/{file}" for file in (os.listdir(place) if os.path.isdir(place) else [])]
        return left

    def find(self, path, what):
        self.findings.append(f"{os.path.basename(path)}: {what}")
        print("FOUND", self.findings[-1], flush=True)
        os.makedirs(self.keep, exist_ok=True)
        shutil.copy(path, self.keep)

    def judge(self, path, command, code, said):
        """What holds of every end of a command that worked on one file."""
        if code is None:
            return self.find(path, f"{command} did not end within {LIMIT} s")
        if code not in CODES:
            return self.find(path, f"{command} ended with {code}: {said[-300:]!r}")
        lines = [line for line in said.splitlines() if not line.startswith("cutroom: warning: ")]
        if len(lines) != (0 if code == 0 else 1):
            self.find(path, f"{command} ended with {code} and said {said[-500:]!r}")
        elif code != 0 and (len(lines[0]) > 1000 or not lines[0].startswith("cutroom: ")):
            self.find(path, f"{command} said {lines[0][:300]!r}")
        if "crash" in said or "signal" in said:
            self.outcomes[f"{command}: worker died"] += 1
            print(f"worker died: {os.path.basename(path)}: {said.strip()[:200]}", flush=True)
        self.outcomes[f"{command}: exit {code}"] += 1

    def probe(self, paths):
        code, out, said = self.command(["probe", "--json", "--workers", "2", *paths], LIMIT * (1 + len(paths) // 10))
        if len(paths) == 1:
            self.judge(paths[0], "probe", code, said)
        else:
            lines, failed = said.splitlines(), 0
            try:
                entries = {entry["path"]: entry for entry in json.loads(out)} if code is not None else {}
            except ValueError:
                entries = {}
            failed = sum("failure" in entry for entry in entries.values())
            # Anything out of order: each file alone tells which one it is.
            if code not in (0, 65) or len(entries) != len(paths) or len(lines) != failed or (code == 65) != (failed > 0):
                for path in paths:
                    self.probe([path])
            else:
                for path in paths:
                    failure = entries[path].get("failure")
                    self.judge(path, "probe", 65 if failure else 0, f"cutroom: {failure}\n" if failure else "")
        for thing in self.left_behind():
            self.find(paths[0], f"probe left {thing} behind (the first of {len(paths)} files)")

    def render(self, path):
        script, output = os.path.join(self.folder, "case.lua"), os.path.join(self.places["out"], "out.mp4")
        with open(script, "w") as file:
            file.write(SCRIPT % (json.dumps(path), json.dumps(self.still)))
        code, _, said = self.command(
            ["render", script, "-o", output, "--no-cache", "--progress", "none", "--workers", "1", "--stall-timeout", "60"], LIMIT)
        self.judge(path, "render", code, said)
        if os.path.exists(output):
            os.remove(output)
            if code != 0:
                self.find(path, f"render ended with {code} and left its output")
        elif code == 0:
            self.find(path, "render wrote nothing")
        for thing in self.left_behind():
            self.find(path, f"render left {thing} behind")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=os.path.join(os.getcwd(), "out", "fuzz"), help="where files are put that something was found with")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cutroom-fuzz-") as folder:
        run = Run(folder, options.keep)
        sources = os.path.join(folder, "sources")
        os.makedirs(sources)
        dice, batch, chosen = random.Random(options.seed), [], names()
        if options.count < len(chosen):
            # As many as are looked at; another seed has others.
            chosen = sorted(dice.sample(chosen, options.count))
        whole = [(name, data) for name, data in ((name, piece(sources, name)) for name in chosen) if data]
        for number in range(options.count):
            # Every source and every kind of damage has its turn, in pairs that differ from round to
            # round.
            name, data = whole[number % len(whole)]
            damage = DAMAGE[(number // len(whole) + number) % len(DAMAGE)]
            path = os.path.join(folder, f"{number:05}-{damage.__name__}-{name}")
            with open(path, "wb") as file:
                file.write(damage(dice, data))
            batch.append(path)
            if len(batch) == BATCH or number == options.count - 1:
                run.probe(batch)
                for path in batch:
                    run.render(path)
                    os.remove(path)
                batch = []
                print(f"{number + 1} of {options.count}, {len(run.findings)} found", flush=True)
        print(f"{options.count} files from {len(whole)} sources under seed {options.seed}; the longest command took "
              f"{run.worst[0]:.1f} s")
        for outcome, count in sorted(run.outcomes.items()):
            print(f"{count:6}  {outcome}")
        for finding in run.findings:
            print(finding)
        sys.exit(1 if run.findings else 0)


if __name__ == "__main__":
    main()
