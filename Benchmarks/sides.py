"""Programs that make the same video, run in alternation, and what came of it."""
import os
import statistics
import sys
import tempfile

import measure


def cutroom(program, script):
    """The command line of a script that takes the folder of its media, without parts of earlier
    renders.
    """
    def command(media, output):
        return [program, "render", script, "--set", f"media={media}", "-o", output, "--overwrite", "--no-cache", "--progress", "none"]
    return command


def compare(media, sides, runs, frames, slow={}):
    """Prints the medians of wall time, CPU time and peak memory of `runs` rounds after one to warm
    up, and cutroom's ratios.

    - `sides`: functions from the media's folder and the output to a command line, by name,
      cutroom's first.
    - `slow`: others, which run in the first counted round only.
    - `frames`: how many each of `sides` must write; else there is nothing to compare.
    """
    print(f"sources: {media}; {os.cpu_count()} processors; memory is the summed PSS of all processes, sampled every "
          f"{measure.INTERVAL * 1000:.0f} ms", flush=True)
    results = {name: [] for name in sides | slow}
    with tempfile.TemporaryDirectory(prefix="cutroom-bench-") as folder:
        for number in range(runs + 1):
            round_sides = sides | slow if number == 1 else sides
            for name in measure.order(round_sides, number):
                output = f"{folder}/{name}.mp4"
                result = measure.run(round_sides[name](media, output))
                if number > 0:
                    results[name].append(result)
                print(f"  {f'round {number}' if number else 'warm-up':8} {name:8} {result.wall:7.2f} s wall {result.cpu:7.2f} s CPU "
                      f"{result.memory:7.0f} MiB", flush=True)
                found = measure.frame_count(output)
                if name in sides and found != frames:
                    sys.exit(f"{name} wrote {found} frames instead of {frames}, so there is nothing to compare.")

    medians = {name: measure.Result(*map(statistics.median, zip(*runs))) for name, runs in results.items()}
    print(f"\n{'median of ' + str(runs):14}{'wall s':>10}{'CPU s':>10}{'peak MiB':>10}")
    for name, (wall, cpu, memory) in medians.items():
        print(f"{name:14}{wall:10.2f}{cpu:10.2f}{memory:10.0f}")
    for name in list(sides | slow)[1:]:
        # The ratio within each round, then the median: other load on the machine affects both sides
        # of a round.
        ratios = [[ours / theirs for ours, theirs in zip(*pair)] for pair in zip(results["cutroom"], results[name])]
        wall, cpu, memory = map(statistics.median, zip(*ratios))
        print(f"{'÷ ' + name:14}{wall:10.2f}{cpu:10.2f}{memory:10.2f}")

