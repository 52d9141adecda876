#!/usr/bin/env python3
"""Records three takes of two seconds with `cutroom record --json`, and discards the second one.

usage: record_takes.py DRAFT.cutroom [OPTION OF cutroom record]…
"""
import json
import subprocess
import sys
import time

command = ["cutroom", "record", sys.argv[1], "--json", "--wait", *sys.argv[2:]]
recorder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(name, **options):
    recorder.stdin.write(json.dumps({"command": name, **options}) + "\n")
    recorder.stdin.flush()


def wait_for(name):
    for line in recorder.stdout:
        event = json.loads(line)
        if event["event"] == name:
            return event
        if event["event"] in ("device-lost", "failed", "refused"):
            sys.exit(event["message"])
    sys.exit("The recorder has ended.")


wait_for("ready")
for take in range(3):
    send("start")
    wait_for("started")
    time.sleep(2)
    send("finish")
    print("recorded", wait_for("finished")["file"])
send("discard", take=2)
wait_for("discarded")
send("close")
print("takes that are clips of the draft:", wait_for("closed")["takes"])
sys.exit(recorder.wait())
