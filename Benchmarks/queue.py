#!/usr/bin/env python3
"""The "queue" workload: how many jobs that do nothing the queue and the journal take a second, and
what they cost a real render.

Nothing is played but the work: jobs go through the real queue to real worker processes (in the
crowd, to workers that are played by a few processes over real encrypted connections), and the real
journal writes down what a server's does. A job counts when the journal has told that its part is on
the disk (SQLite's WAL, synchronous = FULL). "Dispatch" is what a worker waits from the end of one
job to the beginning of the next: the result, the queue's decision and the assignment. Published
figures stand beside ours for orientation: they were measured on other machines.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import sides
import workload

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PUBLISHED = [
    ("goqite (one process, SQLite)", "12 500–18 500 jobs/s"),
    ("PgQueuer (PostgreSQL)", "6 400–18 000 jobs/s"),
    ("Parsl's executor over ZeroMQ (nothing durable)", "1 181 tasks/s"),
    ("SQLite, claim and complete, synced one by one / 50 at a time", "4 900 / 79 000 jobs/s"),
    ("OpenCue: nodes of one farm", "2 500–4 000"),
    ("Parsl: workers connected", "65 536"),
]


def bench(program, *words):
    """Runs QueueBench with a state folder on the disk that the project is on."""
    with tempfile.TemporaryDirectory(prefix="queue-", dir=os.path.join(ROOT, "out")) as folder:
        done = subprocess.run([program, *words, "--state", folder], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(words)} ended with {done.returncode}.")
    result = json.loads(done.stdout)
    if result["failures"]:
        sys.exit(f"{result['failures']} of {result['jobs']} jobs came to nothing, so there is nothing to tell.")
    return result


def table(title, results):
    """Medians of some runs of one benchmark."""
    def median(*path):
        values = []
        for result in results:
            for step in path:
                result = result[step]
            values.append(result)
        return statistics.median(values)

    print(f"\n{title} ({len(results)} runs, medians)")
    print(f"  durable jobs a second   {median('rate'):10.0f}")
    for name, what in (("dispatch", "dispatch, ms: median, p99, most"), ("commit", "on the disk after, ms: median, p99, most")):
        print(f"  {what:40}" + "".join(f"{median(name, key) * 1000:10.2f}" for key in ("median", "p99", "most")))
    if results[0].get("processor") is not None:
        print(f"  of a processor for each job, of all processes, µs {median('processor'):8.0f}")
    print("  memory, MiB: with 5 %, 100 % done; most  " + "".join(f"{median('memory', index):10.1f}" for index in range(3)))
    if results[0].get("arrival") is not None:
        print(f"  all were there after    {median('arrival'):10.2f} s;  with nothing to do they cost {median('idleLoad') * 100:.1f} % of a core")
    return median("rate"), median("dispatch", "p99")


def threads(process):
    """The seconds of a processor that each thread of a process has had, by the thread's name and
    id.
    """
    found = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/comm") as name, open(f"/proc/{process}/task/{thread}/schedstat") as stat:
                found[name.read().strip(), thread] = int(stat.read().split()[0]) / 1e9
        except OSError:
            pass  # It ended meanwhile.
    return found


def share(program, media):
    """What the queue's thread and those of its sockets take of a render of *short*, as a share of
    its wall time.
    """
    with tempfile.TemporaryDirectory(prefix="cutroom-bench-") as folder:
        command = sides.cutroom(program, f"{HERE}/short.lua")(media, f"{folder}/out.mp4")
        start = time.monotonic()
        render = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        seen, done = {}, threading.Event()

        def sample():
            while not done.wait(0.02):
                try:
                    seen.update(threads(render.pid))
                except OSError:
                    return

        sampler = threading.Thread(target=sample)
        sampler.start()
        status = render.wait()
        wall = time.monotonic() - start
        done.set()
        sampler.join()
    if status != 0:
        sys.exit(f"The render of *short* ended with {status}.")
    mine = sum(seconds for (name, _), seconds in seen.items() if name.startswith(("job-queue", "ZMQbg")))
    return mine / wall, wall


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--bench", default=f"{ROOT}/.build/release/QueueBench", help="the program of the benchmark")
    options = workload.parsed(parser)
    os.makedirs(os.path.join(ROOT, "out"), exist_ok=True)
    disk = subprocess.run(["df", "--output=fstype", os.path.join(ROOT, "out")], stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; the journal lies on {disk}")

    def rounds(*words):
        return [bench(options.bench, *words) for _ in range(options.runs)]

    rate, _ = table("40 000 jobs, 8 worker processes", rounds("durable", "--renders", "4", "--jobs", "10000"))
    _, p99 = table("100 000 jobs queued at once, 8 worker processes", rounds("durable", "--renders", "10", "--jobs", "10000"))
    table("10 000 jobs of a second, 1000 workers over tcp with keys of their own", rounds("crowd", "--renders", "4", "--jobs", "2500"))
    shares = [share(options.program, workload.make_media(options.media)) for _ in range(options.runs)]
    queue, wall = (statistics.median(values) for values in zip(*shares))
    print(f"\nshort: queue and sockets take {queue * 100:.2f} % of the {wall:.1f} s\n\ngoals: 10 000 jobs/s ({rate:.0f}), "
          f"p99 of dispatch 20 ms ({p99 * 1000:.1f}), 2 % of short ({queue * 100:.2f} %)\npublished, on other machines:")
    for name, figure in PUBLISHED:
        print(f"  {name}: {figure}")


if __name__ == "__main__":
    main()
