"""A window that flashes, and a click at each flash, for tests of recordings.

usage: flash.py WIDTH HEIGHT [FIFO PPM]

Prints the window's id. Then the window is white for a tenth of a second at each whole second of
the monotonic clock, and a click is played through PulseAudio so that it is heard at that moment, as
far as PulseAudio tells its latency. Without PulseAudio there are only flashes. With a FIFO
the click is written into it instead, as 16-bit samples of one channel, by a clock of 48 kHz that is
fast by PPM millionths: what a device of PulseAudio's module-pipe-source captures.

SIGUSR1 hides the window, or shows it again. SIGUSR2 halves its size, or doubles it again.
"""
import collections
import contextlib
import ctypes
import fcntl
import math
import os
import signal
import statistics
import struct
import sys
import threading
import time

RATE, BLOCK = 48000, 480


class Spec(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


class Buffer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("maxlength", "tlength", "prebuf", "minreq", "fragsize")]


def window(width, height):
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XInitThreads()
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    if not display:
        sys.exit("there is no display")
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XCreateSimpleWindow.restype = ctypes.c_ulong
    root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
    own = ctypes.c_ulong(x11.XCreateSimpleWindow(display, root, 0, 0, width, height, 0, ctypes.c_ulong(0), ctypes.c_ulong(0)))
    x11.XMapRaised(display, own)
    x11.XSync(display, 0)

    def show(color):
        x11.XSetWindowBackground(display, own, ctypes.c_ulong(color))
        x11.XClearWindow(display, own)
        x11.XSync(display, 0)

    is_hidden, is_small = False, False

    def hide(*_):
        nonlocal is_hidden
        is_hidden = not is_hidden
        (x11.XUnmapWindow if is_hidden else x11.XMapRaised)(display, own)
        x11.XSync(display, 0)

    def resize(*_):
        nonlocal is_small
        is_small = not is_small
        half = 2 if is_small else 1
        x11.XResizeWindow(display, own, width // half, height // half)
        x11.XSync(display, 0)

    signal.signal(signal.SIGUSR1, hide)
    signal.signal(signal.SIGUSR2, resize)
    # A parent's blocked signals are its children's.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1, signal.SIGUSR2})
    return own.value, show


def flash(show):
    second = math.ceil(time.monotonic())
    while True:
        for moment, color in ((second, 0xFFFFFF), (second + 0.1, 0)):
            time.sleep(max(0, moment - time.monotonic()))
            show(color)
        second += 1


def click():
    pulse = ctypes.CDLL("libpulse-simple.so.0")
    pulse.pa_simple_new.restype = ctypes.c_void_p
    pulse.pa_simple_get_latency.restype = ctypes.c_uint64
    unset = 0xFFFFFFFF
    stream = ctypes.c_void_p(pulse.pa_simple_new(
        None, b"flash", 1, None, b"flash", ctypes.byref(Spec(5, RATE, 1)), None,
        ctypes.byref(Buffer(unset, 4 * RATE // 20, 4 * BLOCK, unset, unset)), None))
    if not stream:
        sys.exit("there is no sound")
    tone = [0.8 * math.sin(2 * math.pi * 1000 * index / RATE) for index in range(RATE // 50)]
    # When the first sample is heard is known within the jitter of one question, and a stream that
    # starts or a machine that is busy gives wild answers: the median of many is exact. Until there
    # are many, nothing clicks.
    estimates, written = collections.deque(maxlen=200), 0
    while True:
        estimates.append(time.monotonic() + pulse.pa_simple_get_latency(stream, None) / 1e6 - written / RATE)
        origin = statistics.median(estimates) if len(estimates) >= 100 else None
        block = []
        for index in range(written, written + BLOCK):
            moment = 0.5 if origin is None else origin + index / RATE
            place = round((moment - math.floor(moment)) * RATE)
            block.append(tone[place] if place < len(tone) else 0.0)
        pulse.pa_simple_write(stream, (ctypes.c_float * BLOCK)(*block), ctypes.c_size_t(4 * BLOCK), None)
        written += BLOCK


def feed(path, rate):
    pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    # What a source that is not running leaves in the pipe comes late: it is one page at most.
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    tone = [int(26000 * math.sin(2 * math.pi * 1000 * index / RATE)) for index in range(RATE // 50)]
    start, written = time.monotonic(), 0
    while True:
        time.sleep(max(0, start + (written + BLOCK) / rate - time.monotonic()))
        block = []
        for index in range(written, written + BLOCK):
            place = round(((start + index / rate) % 1) * rate)
            block.append(tone[place] if place < len(tone) else 0)
        with contextlib.suppress(BlockingIOError):
            os.write(pipe, struct.pack(f"<{BLOCK}h", *block))
        written += BLOCK


number, show = window(int(sys.argv[1]), int(sys.argv[2]))
print(number, flush=True)
if len(sys.argv) > 4:
    rate = RATE * (1 + float(sys.argv[4]) / 1e6)
    threading.Thread(target=feed, args=(sys.argv[3], rate), daemon=True).start()
elif "PULSE_SERVER" in os.environ:
    threading.Thread(target=click, daemon=True).start()
flash(show)
