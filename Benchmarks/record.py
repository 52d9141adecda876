#!/usr/bin/env python3
"""The "record" workload: the screen in 1080p at 30 frames per second and the system's sound, beside
ffmpeg with the same encoder settings. On a machine for which that is too much, ffmpeg loses frames,
too, and keeps gigabytes of pictures to encode them later; compare a smaller --size there.

Xvfb shows a film in a loop and PulseAudio plays its sound; both have no device. Cutroom and ffmpeg
record by turns, and each run says its processor time, its peak memory, and the frames that it lost:
those that 30 frames per second lack in its length. Then Cutroom records a part of the screen, in
720p or the size if that is smaller, with a look and a watermark on it, live.

With --kills N, the recorder is killed N times at random moments instead, and it is checked that at
most the last second is missing. With --minutes N, one take of that length is recorded instead, and
it is told how far flashes and clicks are apart at its start, its end and each minute, and how
memory grew.
"""
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import measure
import workload

FPS = 30
INTERVAL = 1  # seconds between measurements of memory, which would cost frames if they came often
WINDOW = f"{workload.ROOT}/Tests/EndToEndTests/Fixtures/flash.py"


class Desk:
    """A screen and a sound server of their own."""

    def __init__(self, folder):
        self.processes = []
        screen = self.start(["Xvfb", "-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        display = screen.stdout.readline().strip()
        self.start(["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "-L", "module-native-protocol-unix",
                    "-L", "module-null-sink sink_name=desk rate=48000"],
                   env={**os.environ, "XDG_RUNTIME_DIR": folder, "HOME": folder}, stderr=subprocess.DEVNULL)
        socket = f"{folder}/pulse/native"
        while not os.path.exists(socket):
            time.sleep(0.05)
        self.environment = {**os.environ, "DISPLAY": f":{display}", "PULSE_SERVER": f"unix:{socket}"}

    def start(self, command, **options):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)


def film(desk, media, folder):
    """Shows a film on the whole screen, and plays a tone. Three seconds of pictures are decoded
    before, because decoding, and OpenGL in software, would take more of the machine than recording.
    """
    pictures = f"{folder}/film.bgr0"
    subprocess.run(["ffmpeg", "-v", "error", "-t", "3", "-i", f"{media}/c.mp4", "-f", "rawvideo", "-pix_fmt", "bgr0", pictures], check=True)
    desk.start(["ffplay", "-v", "error", "-noborder", "-x", "1920", "-y", "1080", "-an", "-loop", "0", "-f", "rawvideo", "-pixel_format", "bgr0",
                "-video_size", "1920x1080", "-framerate", str(FPS), pictures],
               env={**desk.environment, "SDL_RENDER_DRIVER": "software", "SDL_FRAMEBUFFER_ACCELERATION": "0"})
    desk.start(["ffmpeg", "-v", "error", "-re", "-f", "lavfi", "-i", "sine=f=300:r=48000", "-f", "pulse", "tone"], env=desk.environment)
    time.sleep(2)


def size(options):
    width, height = options.size.split("x")
    return int(width), int(height)


def sides(options, folder, seconds):
    width, height = size(options)
    # As Cutroom chooses it.
    preset = "superfast" if width * height > 1280 * 720 else "veryfast"
    threads = str(len(os.sched_getaffinity(0)))
    return {
        "cutroom": [options.program, "record", f"{folder}/ours.cutroom", "--video", f"screen:{options.size}+0+0", "--audio",
                    "pulse:desk.monitor", "--max-duration", str(seconds)],
        "ffmpeg": ["ffmpeg", "-v", "error", "-nostdin", "-y", "-thread_queue_size", "512", "-f", "x11grab", "-framerate", str(FPS),
                   "-video_size", options.size, "-i", os.environ["DISPLAY"], "-thread_queue_size", "512", "-f", "pulse", "-fragment_size", "1920", "-i", "desk.monitor",
                   "-t", str(seconds), "-c:v", "libx264", "-preset", preset, "-tune", "zerolatency", "-crf", "20",
                   "-profile:v", "high", "-g", str(FPS), "-pix_fmt", "yuv420p", "-threads", threads, "-c:a", "aac", "-b:a", "160k",
                   "-movflags", "+empty_moov+delay_moov+default_base_moof", "-frag_duration", "500000", "-fps_mode", "passthrough",
                   f"{folder}/theirs.mp4"],
    }


def cost(options, desk, folder):
    media = workload.make_media(options.media)
    film(desk, media, folder)
    os.environ.update(desk.environment)
    results = {"cutroom": [], "ffmpeg": []}
    for number in range(options.runs):
        for path in ("ours.cutroom", "ours.takes"):
            subprocess.run(["rm", "-rf", f"{folder}/{path}"], check=True)
        commands = sides(options, folder, options.seconds)
        for side in measure.order(commands, number):
            result = measure.run(commands[side], INTERVAL)
            file = f"{folder}/ours.takes/0001.mp4" if side == "cutroom" else f"{folder}/theirs.mp4"
            lost = max(0, options.seconds * FPS - measure.frame_count(file))
            results[side].append((result.cpu, result.memory, lost))
            print(f"  {side}: {result.cpu:.1f} s of processor time, {result.memory:.0f} MiB, {lost} frames lost", flush=True)
    print(f"{options.seconds} s of {options.size} at {FPS} fps, medians of {options.runs}:")
    for index, what in enumerate(("processor time", "memory")):
        ours, theirs = ([run[index] for run in results[side]] for side in ("cutroom", "ffmpeg"))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"  {what}: cutroom {statistics.median(ours):.1f}, ffmpeg {statistics.median(theirs):.1f}, ratio {ratio:.2f}")
    print("  frames lost: " + ", ".join(f"{side} {statistics.median(run[2] for run in runs):.0f}" for side, runs in results.items()))
    live(options, folder, media)


LIVE = """
local draft = require("cutroom").draft {{ size = {{ {width}, {height} }}, fps = 30 }}
draft:add_effect("lut", {{ image = "{media}/look.cube" }})
draft:add_effect("sticker", {{ image = "{media}/sticker.png", rect = {{ {width} - 200, 40, 160, 160 }}, opacity = 0.8 }})
return draft
"""


def live(options, folder, media):
    """Records with effects. The frames that the file lacks are lost, wherever they were dropped."""
    width, height = min(size(options), (1280, 720))
    with open(f"{folder}/live.lua", "w") as script:
        script.write(LIVE.format(media=media, width=width, height=height))
    result = measure.run([options.program, "record", f"{folder}/live.cutroom", "--video", f"screen:{width}x{height}+0+0", "--audio",
                          "pulse:desk.monitor", "--script", f"{folder}/live.lua", "--max-duration", str(options.seconds)], INTERVAL)
    frames = options.seconds * FPS
    lost = max(0, frames - measure.frame_count(f"{folder}/live.takes/0001.mp4"))
    print(f"{options.seconds} s of {width}x{height} at {FPS} fps with a look and a watermark: {result.cpu:.1f} s of processor time, "
          f"{lost} frames lost ({100 * lost / frames:.2f} %)")


def kills(options, desk, folder):
    film(desk, workload.make_media(options.media), folder)
    os.environ.update(desk.environment)
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")
    moments, worst = random.Random(seed), 0.0
    for number in range(1, options.kills + 1):
        recorder = subprocess.Popen([options.program, "record", f"{folder}/k.cutroom", "--video", "screen", "--audio", "pulse:desk.monitor", "--json"],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while json.loads(recorder.stdout.readline())["event"] != "started":
            pass
        start = time.monotonic()
        time.sleep(moments.uniform(0.5, 6))
        processes = measure.tree(recorder.pid)
        length = time.monotonic() - start
        for process in processes:
            os.kill(process, signal.SIGKILL)
        recorder.wait()
        subprocess.run([options.program, "record", f"{folder}/k.cutroom", "--recover"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        take = f"{folder}/k.takes/{number:04}.mp4"
        missing = length - (duration(take) if os.path.exists(take) else 0)
        worst = max(worst, missing)
        print(f"  {number}: killed after {length:.2f} s, {missing:.2f} s are missing", flush=True)
    subprocess.run([options.program, "render", f"{folder}/k.cutroom", "-o", f"{folder}/k.mp4", "--progress", "none"], check=True)
    print(f"{options.kills} kills: at most {worst:.2f} s are missing; the draft of {duration(f'{folder}/k.mp4'):.1f} s renders")
    if worst > 1:
        sys.exit("More than a second is missing.")


def duration(path):
    probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path], check=True,
                           stdout=subprocess.PIPE, text=True)
    return float(probe.stdout)


def sync(options, desk, folder):
    window = desk.start(["python3", "-B", WINDOW, "1920", "1080"], env=desk.environment, stdout=subprocess.PIPE, text=True)
    number = window.stdout.readline().strip()
    os.environ.update(desk.environment)
    recorder = subprocess.Popen([options.program, "record", f"{folder}/s.cutroom", "--video", f"window:{number}", "--audio", "pulse:desk.monitor",
                                 "--max-duration", str(60 * options.minutes)])
    sizes = []
    while recorder.poll() is None:
        sizes.append(measure.memory(recorder.pid) / 1024)
        time.sleep(10)
    if recorder.returncode != 0:
        sys.exit(f"The recorder ended with {recorder.returncode}.")
    flashes, clicks = moments(f"{folder}/s.takes/0001.mp4")
    offsets = []
    for flash in flashes:
        near = min(clicks, key=lambda click: abs(click - flash), default=None)
        if near is not None and abs(near - flash) < 0.4:
            offsets.append((flash, 1000 * (near - flash)))
    print(f"{options.minutes} minutes: {len(flashes)} flashes, {len(clicks)} clicks")
    for minute in range(options.minutes + 1):
        around = [offset for flash, offset in offsets if abs(flash - 60 * minute) < 10]
        if around:
            print(f"  minute {minute}: sound is {statistics.median(around):+.1f} ms late ({min(around):+.1f} to {max(around):+.1f})")
    print(f"  all: median {statistics.median(o for _, o in offsets):+.1f} ms, worst {max((o for _, o in offsets), key=abs):+.1f} ms")
    steady = sizes[len(sizes) // 5:]
    print(f"  memory: {steady[0]:.0f} MiB after a fifth of the time, {steady[-1]:.0f} MiB at the end, {max(steady):.0f} MiB at most")


def moments(path):
    """The times of flashes, each the middle of the two frames that it lies between, and of clicks."""
    times = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    times = [float(time.strip(",")) for time in times]
    luma = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", "settb=1/90000,scale=2:2:flags=area,format=gray",
                           "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "rawvideo", "-"], check=True, stdout=subprocess.PIPE).stdout[::4]
    flashes = [(times[i - 1] + times[i]) / 2 for i in range(1, len(luma)) if luma[i] > 128 >= luma[i - 1]]
    sound = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-ar", "48000", "-ac", "1", "-f", "u8", "-"], check=True, stdout=subprocess.PIPE).stdout
    clicks, last = [], -48000
    for index, value in enumerate(sound):
        if abs(value - 128) > 51:
            if index - last > 24000:
                clicks.append(index / 48000)
            last = index
    return flashes, clicks


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--seconds", type=int, default=120, help="the length of a take (default 120)")
    parser.add_argument("--size", default="1920x1080", help="the part of the screen that is recorded (default 1920x1080)")
    parser.add_argument("--kills", type=int, default=0, help="kill the recorder so often")
    parser.add_argument("--minutes", type=int, default=0, help="record flashes and clicks for so long")
    options = workload.parsed(parser)
    # The desk ends with this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="cutroom-record-") as folder:
        desk = Desk(folder)
        try:
            (kills if options.kills else sync if options.minutes else cost)(options, desk, folder)
        finally:
            desk.close()


if __name__ == "__main__":
    main()
