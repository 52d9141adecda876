"""A Chromium without a window, driven over its debugging pipe: for benchmarks of what a page does.
"""
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Chromium:
    def __init__(self, width=1280, height=720):
        if not shutil.which("chromium"):
            raise SystemExit("There is no Chromium; tools/install-dependencies.sh --tests installs it.")
        self.profile = tempfile.mkdtemp(prefix="cutroom-chromium-")
        # Away from 3 and 4, under which the browser looks for them.
        (reading, self.output), (self.input, writing) = (tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe()) for _ in range(2))

        def place():
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--mute-audio", "--autoplay-policy=no-user-gesture-required", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place, pass_fds=(3, 4),
            start_new_session=True)
        os.close(reading)
        os.close(writing)
        self.number, self.session, self.rest = 0, None, b""
        pages = [target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        page = pages[0]["targetId"] if pages else self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        """Asks one thing, and waits for the answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 120
        while True:
            while b"\0" not in self.rest:
                if time.monotonic() > end or not select.select([self.input], [], [], 120)[0]:
                    raise SystemExit(f"{method}: the browser does not answer")
                self.rest += os.read(self.input, 1 << 16)
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, expression):
        """The value of an expression; a promise's when it is kept."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{answer['exceptionDetails']} in {expression}")
        return answer["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url=address)

    def wait(self, expression, timeout=180):
        """Waits until an expression holds. While a page is loaded there is nothing that could be
        asked.
        """
        end = time.monotonic() + timeout
        while True:
            try:
                if self.evaluate(f"Boolean({expression})"):
                    return
            except RuntimeError:
                pass
            if time.monotonic() > end:
                raise SystemExit(f"never: {expression}")
            time.sleep(0.004)

    def press(self, key):
        code = {" ": 32, "End": 35, "Home": 36}.get(key, ord(key[0].upper()))
        event = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": key} if len(key) == 1 else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)
