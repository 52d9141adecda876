"""What the tables of other interfaces' plugins share: what `cutroom plugin check` says of each, and
the page that gets it.
"""
import json
import re
import subprocess
import sys

# Bytes for each instance with the small pictures of the check. A smaller leak is a forgotten text
# or structure, a larger one is a picture.
SMALL_LEAK = 4096
# Tests whose failure says that frames are not always the same, and not that harm is done.
UNSURE = {"structs", "layout", "repeatable", "processes", "instances", "threads", "concurrency", "reset"}
# Of what is taken for pure, these only say that it is not.
SEQUENTIAL = {"pure", "parameter-history", "timeline"}


def version(package):
    return subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], stdout=subprocess.PIPE, text=True).stdout


def check(program, path, *options):
    """The failed tests of a plugin, by name, each with its first finding and whether the process
    died.
    """
    command = [program, "plugin", "check", path, "--json", *options]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 65):
        sys.exit(f"{' '.join(command)}: {run.stderr}")
    report = json.loads(run.stdout)
    return {r["test"]: (r.get("death"), r["findings"][0] if r["findings"] else r["findings"][-1])
            for r in report["results"] if r["outcome"] == "failed"}


def leak(failed):
    """Bytes that each instance leaves behind."""
    if "leaks" not in failed:
        return 0
    number = re.search(r"leaves about (\d+) bytes", failed["leaks"][1]["what"])
    return int(number.group(1)) if number else SMALL_LEAK + 1


def may_differ(failed):
    """Whether frames are not always the same. Where they depend on earlier ones, that calls out of
    order differ says nothing.
    """
    found = UNSURE & set(failed)
    return bool(found - {"concurrency"} if "pure" in failed else found)


def reason(test, finding):
    """A refusal: a sentence without its subject's name."""
    what = re.sub(r" \(random values.*|: Backtrace.*|: \*\*\* Signal.*", "", finding["what"])
    at = (finding.get("at") or "").replace("default values, ", "")
    at = re.sub(r"(values at their m\w+|random values) \(.*\)", r"\1", at)
    return f"it fails the check ‘{test}’: {what}" + (f" ({at})" if at and at not in what else "")


def harm(failed, allowed, small_leak=SMALL_LEAK):
    """Why the plugin is refused; None where it need not be."""
    for test, (death, finding) in failed.items():
        if test == "leaks" and leak(failed) <= small_leak and not death:
            continue
        if death or test not in allowed:
            return reason(test, finding)
    return None


def conclude(row, failed, small_leak=SMALL_LEAK):
    """Adds to a plugin's row what the check says of it as what the row says it is."""
    # Only now have its calls come in order in each thread.
    allowed = set() if row["state"] == "unsure" else {"concurrency"}
    if allowed & set(failed):
        row["state"] = "unsure"
    row["refusal"] = row["refusal"] or harm(failed, allowed, small_leak)
    row["leak"] = max(row["leak"], leak(failed))


def readmit(row, run, small_leak=SMALL_LEAK):
    """Lets in what the table refused before when it passes with other seeds too: what a stray write
    meets is chance. run: the failed tests with a seed."""
    for seed in range(2, 8):
        if row["refusal"]:
            return
        conclude(row, run(str(seed)), small_leak)


def quoted(refusal):
    """As a C string; NULL where there is none."""
    return json.dumps(refusal, ensure_ascii=False) if refusal else "NULL"


def put(page, tool, lines):
    """Replaces what `tool` wrote into the page before."""
    start, end = f"<!-- {tool}: begin -->", f"<!-- {tool}: end -->"
    with open(page) as file:
        old = file.read()
    with open(page, "w") as file:
        file.write(old[:old.index(start)] + "\n".join([start, *lines, end]) + old[old.index(end) + len(end):])
