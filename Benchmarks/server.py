#!/usr/bin/env python3
"""The "server" workload: a durable render queue with very many renders.

The journal of a server gets so many renders that are done (QueueBench fill writes them as a server
does), and then real renders of one frame come on top, handed in as rows of one table. Measured are:
the start, `jobs list`, handing in, rendering, watching one render that waits while others are
rendered and while nothing happens, and the server's memory. Processor time is that of /proc, of the
server and of the watcher.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCRIPT = """local cutroom = require "cutroom"
local params = cutroom.params { n = { type = "number", default = 1 } }
return cutroom.draft { size = { 16, 16 }, fps = 25, background = "#102030", duration = 0.04 }
"""


class Server:
    """A server in a folder of its own."""

    def __init__(self, program, folder, workers):
        self.program, self.folder = program, folder
        self.state = os.path.join(folder, "state", "cutroom")
        self.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"),
                                XDG_CACHE_HOME=os.path.join(folder, "cache"))
        self.workers = workers
        self.process = None

    def start(self):
        """Returns the seconds until the server takes renders."""
        begun = time.monotonic()
        self.process = subprocess.Popen([self.program, "serve", "--workers", str(self.workers)], cwd=self.folder,
                                        env=self.environment, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listens in" in line:
                return time.monotonic() - begun
        sys.exit(f"The server ended with {self.process.wait()}.")

    def stop(self):
        self.process.terminate()
        self.process.communicate()

    def run(self, *words, quiet=False):
        """Returns what a command prints, and its seconds."""
        begun = time.monotonic()
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True)
        if done.returncode != 0 and not quiet:
            sys.exit(f"cutroom {' '.join(words)} ended with {done.returncode}.")
        return done.stdout, time.monotonic() - begun

    def memory(self):
        """Returns MiB of the server's memory: resident, and the most there were."""
        with open(f"/proc/{self.process.pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def processor(pid):
    """Returns the seconds of a processor that a process has had."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children():
    """Returns the seconds of a processor that the commands have had that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def watch(server, render, seconds):
    """Returns the shares of a core that the server and a watcher of one render take, and the
    server's before.
    """
    before = processor(server.process.pid)
    time.sleep(seconds)
    alone = (processor(server.process.pid) - before) / seconds
    watcher = subprocess.Popen([server.program, "jobs", "watch", render], cwd=server.folder, env=server.environment,
                               stdout=subprocess.DEVNULL)
    time.sleep(2)
    begun = processor(server.process.pid), processor(watcher.pid)
    time.sleep(seconds)
    both = [(now - then) / seconds for now, then in zip((processor(server.process.pid), processor(watcher.pid)), begun)]
    watcher.terminate()
    watcher.wait()
    return alone, both[0], both[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=f"{ROOT}/.build/release/cutroom", help="the cutroom to measure")
    parser.add_argument("--bench", default=f"{ROOT}/.build/release/QueueBench", help="the program that fills the journal")
    parser.add_argument("--finished", type=int, default=100_000, help="renders that are done before (default 100000)")
    parser.add_argument("--renders", type=int, default=2000, help="real renders on top, as rows of one table (default 2000)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="the server's workers")
    parser.add_argument("--seconds", type=float, default=20, help="how long a watch is measured (default 20)")
    options = parser.parse_args()
    for program in (options.program, options.bench):
        if not os.access(program, os.X_OK):
            sys.exit(f"There is no program {program}; build it with ‘make build’.")
    options.program, options.bench = os.path.abspath(options.program), os.path.abspath(options.bench)
    os.makedirs(os.path.join(ROOT, "out"), exist_ok=True)
    folder = tempfile.mkdtemp(prefix="server-", dir=os.path.join(ROOT, "out"))
    server = Server(options.program, folder, options.workers)
    try:
        measure(options, server, folder)
    finally:
        if server.process and server.process.poll() is None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def lists(server, word):
    """Prints what listing costs."""
    text, _ = server.run("jobs", "list")
    client, before = children(), processor(server.process.pid)
    seconds = [server.run("jobs", "list")[1] for _ in range(5)]
    client, server_share = (children() - client) / 5, (processor(server.process.pid) - before) / 5
    rows = text.count("\n") - 1
    print(f"jobs list {word}: {rows} rows, {len(text) / 1e6:.1f} MB, {statistics.median(seconds):.3f} s "
          f"({min(seconds):.3f} to {max(seconds):.3f}); of a processor: command {client:.3f} s, server {server_share:.3f} s", flush=True)


def measure(options, server, folder):
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    if options.finished:
        begun = time.monotonic()
        subprocess.run([options.bench, "fill", "--renders", str(options.finished), "--state", server.state], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"filling the journal: {time.monotonic() - begun:.1f} s", flush=True)
    print(f"start: {server.start():.2f} s", flush=True)
    first = server.memory()
    lists(server, "before")
    with open(os.path.join(folder, "card.lua"), "w") as script:
        script.write(SCRIPT)
    os.makedirs(os.path.join(folder, "out"))
    waiting = server.run("submit", "card.lua", "-o", "out/waits.mp4", "--tag", "none")[0].strip()
    server.run("jobs", "pause", waiting)
    alone, with_watch, watcher = watch(server, waiting, options.seconds)
    print(f"watching one, nothing happens: server {with_watch * 100:.2f} % of a core (without {alone * 100:.2f} %), "
          f"watcher {watcher * 100:.2f} %", flush=True)
    if options.renders:
        with open(os.path.join(folder, "rows.csv"), "w") as table:
            table.write("n\n" + "".join(f"{number}\n" for number in range(options.renders)))
        ids, seconds = server.run("submit", "card.lua", "--csv", "rows.csv", "-o", "out/{row}.mp4")
        print(f"submit --csv: {ids.count(chr(10))} rows in {seconds:.1f} s, {seconds / options.renders * 1000:.2f} ms a row", flush=True)
        _, _, watcher = watch(server, waiting, min(options.seconds, 10))
        print(f"watching one while others are rendered: watcher {watcher * 100:.2f} % of a core", flush=True)
        begun, start_count = time.monotonic(), None
        while True:
            rows = server.run("jobs", "list", "--all")[0]
            done = rows.count(" done ") - options.finished
            if start_count is None:
                start_count = done
            if done >= options.renders or " failed " in rows:
                break
            time.sleep(5)
            print(f"  {done} done, {server.memory()[0]:.0f} MiB", flush=True)
        seconds = time.monotonic() - begun
        if done > start_count:
            print(f"rendering: {(done - start_count) / seconds:.0f} renders a second", flush=True)
        lists(server, "after")
    last = server.memory()
    print(f"memory, MiB: {first[0]:.0f} with {options.finished} done, {last[0]:.0f} with {options.finished + options.renders}; "
          f"most {last[1]:.0f}", flush=True)


if __name__ == "__main__":
    main()
