#!/usr/bin/env python3
"""The "long" workload on a farm: nodes of one worker each, in network namespaces of their own,
beside one machine that has as much as all of them.

There may be more nodes than cores here, so each node has a share of a core (a control group's
quota), and the one machine has the sum of the shares: a render by as many local workers. Nothing
else is bounded: the server, the submitter and the network's encryption work in what is left of the
cores. The ratio of the two wall times is how much of its nodes a farm uses. Root is needed: for the
namespaces and the quotas.
"""
import contextlib
import filecmp
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import workload

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = "/sys/fs/cgroup"
PERIOD = 100_000  # microseconds


@contextlib.contextmanager
def group(name, cores):
    """A control group whose processes have so many cores together; gives what puts a process in
    (version 1 or 2 of control groups).
    """
    first = os.path.isdir(f"{GROUPS}/cpu")
    folder = f"{GROUPS}/cpu/{name}" if first else f"{GROUPS}/{name}"
    os.mkdir(folder)
    quota = int(cores * PERIOD)
    with open(f"{folder}/{'cpu.cfs_quota_us' if first else 'cpu.max'}", "w") as file:
        file.write(f"{quota}" if first else f"{quota} {PERIOD}")

    def enter():
        with open(f"{folder}/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))

    try:
        yield enter
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
                break
            time.sleep(0.1)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


@contextlib.contextmanager
def network(names):
    """A bridge that has 10.78.0.1 here, and a namespace for each name that has one of the next
    addresses.
    """
    spaces = {name: f"cutroom-bench-{name}" for name in names}
    try:
        ip("link", "add", "cutroom-bench", "type", "bridge")
        ip("address", "add", "10.78.0.1/24", "dev", "cutroom-bench")
        ip("link", "set", "cutroom-bench", "up")
        for number, space in enumerate(spaces.values(), 2):
            ip("netns", "add", space)
            ip("link", "add", f"cbench{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", f"cbench{number}", "master", "cutroom-bench", "up")
            ip("-n", space, "address", "add", f"10.78.0.{number}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
        yield lambda name: ["ip", "netns", "exec", spaces[name]]
    finally:
        for space in spaces.values():
            subprocess.run(["ip", "netns", "del", space], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", "cutroom-bench"], stderr=subprocess.DEVNULL)


def run(command, env, enter=None):
    """The wall time of a command; a failure ends the benchmark, with what the command said."""
    start = time.monotonic()
    done = subprocess.run(command, env=env, preexec_fn=enter, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:2])} failed with exit code {done.returncode}:\n{done.stdout[-2000:]}")
    return time.monotonic() - start


@contextlib.contextmanager
def running(command, env, log, enter=None):
    with open(log, "w") as file:
        process = subprocess.Popen(command, env=env, preexec_fn=enter, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def until(seconds, is_so, what, logs):
    """Waits; where that is in vain, the benchmark ends with what the programs said."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f"{what} within {seconds} s:\n" + "".join(open(log).read()[-1000:] for log in logs))
        time.sleep(0.1)


def farm(options, media, folder, names, on, script):
    """The wall time of one render by the nodes, from its submission to its file."""
    worker = os.path.join(os.path.dirname(options.program), "cutroom-worker")
    env = os.environ | {f"XDG_{kind}_HOME": f"{folder}/{kind.lower()}" for kind in ("CONFIG", "STATE", "CACHE")}
    keys = f"{folder}/config/cutroom"
    run([options.program, "farm", "keys", "new", "server", "--role", "server"], env)
    for name in names:
        run([worker, "--new-key", name], env)
        run([options.program, "farm", "keys", "allow", f"{keys}/keys/{name}.pub"], env)
    log = f"{folder}/server.log"
    logs = {name: f"{folder}/{name}.log" for name in names}
    with contextlib.ExitStack() as stack:
        stack.enter_context(running([options.program, "serve", "--listen", "tcp://10.78.0.1:7700", "--workers", "0", "--active", "1"], env, log))
        until(20, lambda: "listens in" in open(log).read(), "The server does not listen", [log])
        for name in names:
            enter = stack.enter_context(group(f"cutroom-bench-{name}", options.share))
            command = on(name) + [worker, "--connect", "tcp://10.78.0.1:7700", "--name", name, "--slots", "1", "--server-key", f"{keys}/server/server.pub"]
            stack.enter_context(running(command, env, logs[name], enter))
        until(30, lambda: all("works for the farm" in open(said).read() for said in logs.values()), "Not all nodes have come", [log, *logs.values()])
        return run([options.program, "submit", *script, "-o", f"{folder}/farm.mp4", "--wait"], env)


def main():
    parser = workload.options(__doc__)
    parser.add_argument("--runs", type=int, default=1, help="rounds (default 1)")
    parser.add_argument("--nodes", type=int, default=4, help="nodes of one worker each (default 4)")
    parser.add_argument("--share", type=float, help="of a core, for each node (default: nine tenths of all cores, shared)")
    parser.add_argument("--pieces", type=int, default=360, help="pieces of 5 s (default 360)")
    options = workload.parsed(parser)
    if os.geteuid() != 0:
        return print("farm: left out, as namespaces and quotas are root's")
    options.share = options.share or min(1, 0.9 * os.cpu_count() / options.nodes)
    media = workload.make_media(options.media)
    names = [f"n{number}" for number in range(1, options.nodes + 1)]
    script = [f"{HERE}/long.lua", "--set", f"media={media}", "--set", f"pieces={options.pieces}"]
    cores = options.share * options.nodes
    print(f"{os.cpu_count()} processors; {options.nodes} nodes with {options.share:.2f} of a core each; {options.pieces * 5 / 60:.0f} min of video", flush=True)
    ratios = []
    with network(names) as on:
        for number in range(options.runs):
            with tempfile.TemporaryDirectory(prefix="cutroom-farm-") as folder:
                def alone():
                    with group("cutroom-bench-alone", cores) as enter:
                        return run([options.program, "render", *script, "-o", f"{folder}/alone.mp4", "--workers", str(options.nodes), "--no-cache",
                                    "--progress", "none"], os.environ, enter)

                def together():
                    return farm(options, media, folder, names, on, script)

                one, all_of_them = (alone(), together()) if number % 2 == 0 else reversed((together(), alone()))
                if not filecmp.cmp(f"{folder}/alone.mp4", f"{folder}/farm.mp4", shallow=False):
                    sys.exit("The two files differ, so there is nothing to compare.")
            ratios.append(one / all_of_them)
            print(f"  round {number + 1}: one machine {one:7.2f} s, the farm {all_of_them:7.2f} s: {ratios[-1]:.3f}; by nodes with a whole core "
                  f"each {all_of_them * options.share:.1f} s", flush=True)
    print(f"\nfarm: {statistics.median(ratios):.2f} of its nodes' cores (goal 0.9)")


if __name__ == "__main__":
    main()
