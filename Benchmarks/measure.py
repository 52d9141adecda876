"""Measures a command with everything it starts: wall time, CPU time and the peak memory of all its
processes together.

Memory is the sum of the proportional set sizes (PSS: private pages, and of every shared page its
share) of the process and its descendants, from /proc/*/smaps_rollup, every 100 ms unless a
benchmark says otherwise. The same sampler is used for every side of a comparison.
"""
import os
import subprocess
import sys
import threading
import time
from typing import NamedTuple

INTERVAL = 0.1


class Result(NamedTuple):
    wall: float  # seconds
    cpu: float  # seconds, user and system, of all processes that have ended and been waited for
    memory: float  # MiB at the peak


def tree(root):
    """The process ids of `root` and all its descendants."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry))
    found, queue = [], [root]
    while queue:
        process = queue.pop()
        found.append(process)
        queue += children.get(process, [])
    return found


def memory(root):
    """The proportional set sizes of a process and its descendants together, in KiB."""
    total = 0
    for process in tree(root):
        try:
            with open(f"/proc/{process}/smaps_rollup") as rollup:
                total += next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass  # It ended meanwhile.
    return total


def run(command, interval=INTERVAL):
    """Runs `command` to its end, and measures memory every `interval` seconds. A failure ends the
    benchmark, with what the command said.
    """
    before, start = os.times(), time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    peak, done = 0, threading.Event()

    def sample():
        nonlocal peak
        while not done.wait(interval):
            peak = max(peak, memory(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        said, _ = process.communicate()
    finally:
        process.kill()
        done.set()
        sampler.join()
    wall, after = time.monotonic() - start, os.times()
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with exit code {process.returncode}:\n{said[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Result(wall, cpu, peak / 1024)


def frame_count(video):
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets",
         "-of", "csv=p=0", video], check=True, stdout=subprocess.PIPE, text=True)
    return int(probe.stdout.strip().strip(","))


def order(sides, number):
    """The sides of round `number`: every other round the other way about, so that none always runs
    after the same one.
    """
    return list(sides) if number % 2 == 0 else list(reversed(list(sides)))
