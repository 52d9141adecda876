#!/usr/bin/env python3
"""Makes stripped binaries the same for each build of the same sources. Two sections come from debug
information, which no two builds have the same of: the compiler's hashes of modules, which nothing
reads any more, become zeros, and the build's id is made anew from what is in the file. Nothing
moves: to remove the sections would cost the segment that is read-only after relocation.
usage: same_bytes.py BINARY…"""
import hashlib
import re
import subprocess
import sys

for path in sys.argv[1:]:
    listed = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    data = bytearray(open(path, "rb").read())
    # Name, type, address, offset, size. The id is the last 20 bytes of its note (SHA-1).
    places = {m[1]: (int(m[2], 16), int(m[3], 16)) for m in re.finditer(r"\] (\S+) +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", listed)}
    start, size = places.get(".swift_modhash", (0, 0))
    data[start:start + size] = bytes(size)
    start, size = places[".note.gnu.build-id"]
    data[start + size - 20:start + size] = bytes(20)
    data[start + size - 20:start + size] = hashlib.sha1(data).digest()
    with open(path, "r+b") as file:
        file.write(data)
