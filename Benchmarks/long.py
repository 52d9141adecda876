#!/usr/bin/env python3
"""The "long" workload: 360 pieces of 5 s (30 minutes, 640×360) beside 36 of them (3 minutes): time
and peak memory.

Time that grows with the length alone has the ratio 10, memory that does not has the ratio 1.
"""
import os
import tempfile

import measure
import workload
from workload import make_media

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = workload.options(__doc__)
    options = parser.parse_args()
    media = make_media(options.media)
    results = []
    with tempfile.TemporaryDirectory(prefix="cutroom-long-") as folder:
        for pieces in (36, 360):
            result = measure.run([options.program, "render", f"{HERE}/long.lua", "--set", f"media={media}", "--set",
                                  f"pieces={pieces}", "-o", f"{folder}/out.mp4", "--overwrite", "--no-cache", "--progress", "none"])
            results.append(result)
            print(f"  {pieces * 5 / 60:4.0f} min: {result.wall:7.2f} s wall {result.cpu:7.2f} s CPU {result.memory:7.0f} MiB", flush=True)
    short, long = results
    print(f"long ÷ short: wall {long.wall / short.wall:.2f}, memory {long.memory / short.memory:.2f}")


if __name__ == "__main__":
    main()
