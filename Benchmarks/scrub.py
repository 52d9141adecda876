#!/usr/bin/env python3
"""The workload "scrub": how long an editor's page waits for a picture of "short", by the server's
own share of it.

not rendered: the exact picture of a frame at a random time, just after the editor was started with
an empty cache, so that what it renders by itself is in the way. Beside it, in turns, ffmpeg -ss
takes the frame of the source that is shown there, as PNG; the editor stands still meanwhile.
rendered: the part that shows a random time, when everything is rendered. change: from a new title
to the exact picture of a frame that shows it. start: from the command to the first part's bytes, of
a script whose parts are in the cache.
"""
import base64
import http.client
import json
import os
import random
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import time

import measure
import workload

HERE = os.path.dirname(os.path.abspath(__file__))
SEEKS = 6


class Editor:
    def __init__(self, program, media, folder):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [program, "edit", f"{HERE}/short.lua", "--set", f"media={media}", "--no-open"], stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state"})
        address = self.process.stdout.readline().strip()
        if not address:
            raise SystemExit("The editor did not start.")
        place, self.token = address.removeprefix("http://").split("/?token=")
        self.host, port = place.split(":")
        self.port = int(port)
        self.live = self.socket()

    def ask(self, path, body=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {data[:200]}")
        return data

    def socket(self):
        link = socket.create_connection((self.host, self.port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        link.sendall((f"GET /api/live HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
                      f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        stream = link.makefile("rb")
        while stream.readline().strip():
            pass
        return stream

    def message(self):
        """The next thing that pages are told."""
        text = b""
        while True:
            first, length = self.live.read(2)
            length &= 127
            if length > 125:
                size = 2 if length == 126 else 8
                length = struct.unpack(">H" if size == 2 else ">Q", self.live.read(size))[0]
            text += self.live.read(length)
            if first & 128:
                return json.loads(text)

    def ready(self, after=0):
        """The state of a good revision."""
        while True:
            state = json.loads(self.ask("/api/state"))
            if state["status"] == "ready" and state["revision"] > after:
                return state
            if state["status"] == "broken":
                raise SystemExit(f"The script is broken: {state['problems']}")
            while self.message()["type"] != "state":
                pass

    def stand(self, still):
        for process in measure.tree(self.process.pid):
            os.kill(process, signal.SIGSTOP if still else signal.SIGCONT)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def timed(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def told(name, times, unit=1000):
    times = sorted(times)
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    print(f"  {name}: p50 {statistics.median(times) * unit:.0f} ms, p95 {p95 * unit:.0f} ms, of {len(times)}", flush=True)
    return statistics.median(times), p95


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="starts with an empty cache (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="of the random times (default 1)")
    options = workload.parsed(parser)
    media = workload.make_media(options.media)
    chance = random.Random(options.seed)
    exact, ffmpeg, rendered, changes, starts = [], [], [], [], []
    for number in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="cutroom-scrub-") as folder:
            editor = Editor(options.program, media, folder)
            state = editor.ready()
            for frame in chance.sample(range(120, workload.FRAMES), SEEKS):
                why = json.loads(editor.ask(f"/api/why?frame={frame}"))
                exact.append(timed(lambda: editor.ask(f"/frame/{state['good_revision']}/{frame}.png")))
                editor.stand(True)
                clip = why["clips"][-1]
                ffmpeg.append(timed(lambda: workload.ffmpeg(
                    "-ss", str(clip["source_time"]), "-i", clip["file"], "-frames:v", "1", f"{folder}/frame.png")))
                editor.stand(False)
            keys = [part["key"] for part in state["parts"]]
            for key in keys:
                editor.ask(f"/part/{key}.mp4")
            rendered += [timed(lambda: editor.ask(f"/part/{chance.choice(keys)}.mp4")) for _ in range(SEEKS * 4)]
            for change in range(SEEKS):
                frame = chance.randrange(0, 90)

                def changed():
                    editor.ask("/api/parameters", {"values": {"title": f"Title {number} {change}"}})
                    new = editor.ready(state["revision"])
                    state.update(new)
                    editor.ask(f"/frame/{new['good_revision']}/{frame}.png")
                changes.append(timed(changed))
            editor.ask("/api/parameters", {"values": {"title": None}})
            editor.ready(state["revision"])
            editor.end()
            editor = Editor(options.program, media, folder)
            editor.ask(f"/part/{editor.ready()['parts'][0]['key']}.mp4")
            starts.append(time.monotonic() - editor.begun)
            editor.end()
    print(f"scrub, {options.runs} starts:")
    ours, theirs = told("not rendered", exact), told("ffmpeg -ss", ffmpeg)
    told("rendered", rendered)
    change = told("change of the title", changes)
    told("start, seen before", starts)
    print(f"not rendered ÷ ffmpeg -ss: p50 {ours[0] / theirs[0]:.2f}, p95 {ours[1] / theirs[1]:.2f}; change ÷ ffmpeg -ss: p50 {change[0] / theirs[0]:.2f}")


if __name__ == "__main__":
    main()
