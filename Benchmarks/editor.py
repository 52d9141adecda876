#!/usr/bin/env python3
"""The editor's page over "short" and "long", in Chromium: how long pictures take, and whether
playing and scrolling stand still.

Seeks go to random frames, from the key to the picture that is seen, be it the preview's or the
export's. Beside those to what is not rendered, ffmpeg decodes the same source frame with -ss and
scales it, in turns. A title is changed in the script's file, until the export's new picture is
seen. Everything is of one run; the browser shares the processors with the editor, as it does at
work.
"""
import contextlib
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time

import workload
from chromium import Chromium

HERE = os.path.dirname(os.path.abspath(__file__))
RATE, FRAMES = 30, workload.FRAMES
STAGE = "document.querySelector('.stage')"

# Seeks to a frame as if the user typed its time, and returns the milliseconds until its picture was
# visible.
SEEK = """new Promise((done) => {
    const [stage, field, begun] = [document.querySelector('.stage'), document.querySelector('.time'), performance.now()];
    const seen = ({ detail }) => {
        if (detail.frame != FRAME) return;
        stage.removeEventListener('picture', seen);
        requestAnimationFrame(() => done(performance.now() - begun));
    };
    stage.addEventListener('picture', seen);
    field.value = 'TIME';
    field.dispatchEvent(new Event('change'));
    setTimeout(() => done(10000), 10000);
})"""

# Scrolls over the timeline, and returns the longest time between two frames of the page, and how
# many took longer than 50 ms.
SCROLL = """new Promise((done) => {
    const scroller = document.querySelector('.scroller');
    const times = [];
    let last = performance.now();
    const step = (now) => {
        times.push(now - last);
        last = now;
        scroller.scrollLeft += 60;
        if (times.length < 400) requestAnimationFrame(step);
        else done([Math.max(...times.slice(5)), times.slice(5).filter((time) => time > 50).length]);
    };
    requestAnimationFrame(step);
})"""


@contextlib.contextmanager
def editor(options, script, cache, *arguments):
    """`cutroom edit`, and when it was started; yields the page's address."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    process = subprocess.Popen([options.program, "edit", script, "--no-open", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def quantiles(values):
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def told(what, values):
    half, most = quantiles(values)
    print(f"  {what}: p50 {half:.0f} ms, p95 {most:.0f} ms ({len(values)})", flush=True)
    return half, most


def seek(browser, frame):
    timecode = f"{frame // RATE // 60}:{frame // RATE % 60:02}:{frame % RATE:02}"
    return browser.evaluate(SEEK.replace("FRAME", str(frame)).replace("TIME", timecode))


def source(frame):
    """The file and the second in it that frame n of "short" shows first."""
    index = min(frame * 2 // RATE // 5, len(workload.OFFSETS) - 1)
    return workload.SOURCES[index], workload.OFFSETS[index] + frame / RATE - index * 2.5


def decoded(media, frame):
    """Milliseconds that ffmpeg takes for the source's frame, scaled as the page shows it."""
    name, second = source(frame)
    begun = time.monotonic()
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-ss", f"{second:.4f}", "-i", f"{media}/{name}.mp4", "-frames:v", "1", "-vf", "scale=640:360",
                    "-f", "null", "-"], check=True)
    return (time.monotonic() - begun) * 1000


def first_picture(options, browser, script, cache, *arguments):
    """Milliseconds from the command to the first picture."""
    begun = time.monotonic()
    with editor(options, script, cache, *arguments) as address:
        browser.open(address)
        browser.wait(f"{STAGE} && {STAGE}.dataset.picture")
        return (time.monotonic() - begun) * 1000


def stalls(browser, seconds):
    """Plays for a while, looped; tells how often it stood still, and how many pictures were
    dropped.
    """
    browser.evaluate("stalls = 0, document.querySelector('.chip').hidden = true, new MutationObserver(() => {"
                     " if (video.paused && !document.querySelector('.chip').hidden) stalls += 1;"
                     " }).observe(document.querySelector('.chip'), { attributes: true })")
    before = browser.evaluate("video.getVideoPlaybackQuality().droppedVideoFrames")
    browser.evaluate("document.activeElement.blur()")
    browser.press("Home")
    browser.press("l")
    time.sleep(seconds)
    browser.press("k")
    return browser.evaluate("stalls"), browser.evaluate("video.getVideoPlaybackQuality().droppedVideoFrames") - before


def rendered(browser):
    browser.wait("document.querySelector('#status').textContent == 'Fully rendered'", timeout=600)


def short(options, browser, media, folder, dice):
    with open(f"{HERE}/short.lua") as file:
        text = file.read()
    script = f"{folder}/short.lua"

    def write(title, strength=0):
        with open(script + ".new", "w") as new:
            new.write(text.replace("Hello Cutroom", title).replace("volume = 0.4", f"volume = 0.{4 + strength % 5}"))
        os.rename(script + ".new", script)

    write("Hello Cutroom")
    words = ("--set", f"media={media}")
    cache = f"{folder}/cache"
    with editor(options, script, cache, *words) as address:
        browser.open(address)
        browser.wait(f"{STAGE} && {STAGE}.dataset.picture == 'exact'")
        browser.press("r")
        count, dropped = stalls(browser, 60)
        print(f"  60 s while it is rendered for the first time: {count} stalls, {dropped} pictures dropped")
        rendered(browser)
        count, dropped = stalls(browser, 60)
        print(f"  60 s once it is rendered: {count} stalls, {dropped} pictures dropped")
        told("seek to what is rendered", [seek(browser, dice.randrange(FRAMES)) for _ in range(options.runs * 20)])

        ours, theirs = [], []
        for number in range(options.runs * 3):
            frame = 10 + dice.randrange(60)
            seek(browser, frame)
            time.sleep(0.5)
            revision = browser.evaluate(f"{STAGE}.dataset.revision")
            theirs.append(decoded(media, frame))
            begun = time.monotonic()
            write(f"Hello {number}")
            browser.wait(f"{STAGE}.dataset.revision != '{revision}'")
            ours.append((time.monotonic() - begun) * 1000)
        half = told("a changed title is seen", ours)[0]
        print(f"    ÷ ffmpeg -ss: {half / statistics.median(theirs):.2f}")
        # What is in the cache was seen before.
        rendered(browser)
    told("first picture of a script seen before", [first_picture(options, browser, script, cache, *words) for _ in range(max(3, options.runs))])

    ours, theirs = [], []
    for number in range(options.runs):
        # A cache of its own each time: nothing is rendered but what the page has just asked for.
        with editor(options, script, f"{folder}/cache-{number}", *words) as address:
            browser.open(address)
            browser.wait(f"{STAGE} && {STAGE}.dataset.picture == 'exact'")
            for _ in range(8):
                ready = browser.evaluate("fetch('/api/state').then((answer) => answer.json()).then(({ parts, ready }) => parts"
                                         ".filter(({ key }) => !ready.includes(key)).map(({ first_frame, frames }) => [first_frame, frames]))")
                if not ready:
                    break
                first, frames = dice.choice(ready)
                frame = first + dice.randrange(frames)
                theirs.append(decoded(media, frame))
                ours.append(seek(browser, frame))
    if ours:
        (half, most), (their_half, their_most) = told("seek to what is not rendered", ours), told("ffmpeg -ss for the same", theirs)
        print(f"    ÷ ffmpeg -ss: p50 {half / their_half:.2f}, p95 {most / their_most:.2f}")


def long(options, browser, media, folder):
    with editor(options, f"{HERE}/long.lua", f"{folder}/cache", "--set", f"media={media}", "--set", "pieces=360") as address:
        begun = time.monotonic()
        browser.open(address)
        browser.wait(f"{STAGE} && {STAGE}.dataset.picture")
        print(f"  360 clips, 30 minutes: the page is open after {time.monotonic() - begun:.2f} s")
        for zoom in (4, 4):
            for _ in range(zoom):
                browser.press("+")
            longest, late = browser.evaluate(SCROLL)
            print(f"  scrolling its timeline: the longest frame takes {longest:.0f} ms, {late} of 400 more than 50 ms")


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    options = workload.parsed(parser)
    media = workload.make_media(options.media)
    print("the editor's page:")
    with tempfile.TemporaryDirectory(prefix="cutroom-editor-") as folder, Chromium() as browser:
        short(options, browser, media, folder, random.Random(1))
        long(options, browser, media, folder)


if __name__ == "__main__":
    main()
