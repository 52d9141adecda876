"""Prints the tests that took longest.

usage: slowest-tests.py EVENTS TURNS [COUNT]

The runner's own "passed after" counts from when a test was put into the queue. Tests that take
turns say themselves how long they took (TURNS, which TestThreads.swift writes). Of others it is
from the begin of each case to its end, by the event stream that `swift test
--event-stream-output-path` writes (EVENTS). The cases of one test add up.
"""
import collections
import json
import sys

taken, seconds = collections.Counter(), collections.Counter()
cases = collections.Counter()
with open(sys.argv[1], encoding="utf-8", errors="replace") as events:
    for line in events:
        try:
            event = json.loads(line)["payload"]
        except (ValueError, KeyError):
            continue  # the last line of a run that was killed
        if event.get("kind") not in ("testCaseStarted", "testCaseEnded"):
            continue
        # TARGET.SUITE/…/FUNCTION/FILE:LINE:COLUMN
        name = "/".join(event["testID"].split("/")[:-1])
        is_end = event["kind"] == "testCaseEnded"
        seconds[name] += event["instant"]["absolute"] * (1 if is_end else -1)
        cases[name] += is_end
with open(sys.argv[2], encoding="utf-8", errors="replace") as turns:
    for line in turns:
        time, _, test = line.rstrip("\n").partition("\t")
        taken["/".join(test.split("/")[:-1])] += float(time)

for name, total in sorted({**seconds, **taken}.items(), key=lambda item: -item[1])[: int(sys.argv[3]) if len(sys.argv) > 3 else 10]:
    print(f"{total:8.1f} s  {name}" + (f", {cases[name]} cases" if cases[name] > 1 else ""))
