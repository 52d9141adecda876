"""Files out of the ordinary, made by ffmpeg and, where it cannot, byte by byte: the sources of
media.py.
"""
import os
import struct
import subprocess
import zlib


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)], check=True)


PATTERN = "testsrc2=s=320x180:r=25:d=2"
# Opaque on the right, transparent on the left. The transparent pixels have another colour than the
# background.
FADING = PATTERN + ",format=yuva444p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='clip((X-80)*255/160,0,255)'"
FADING_RGB = PATTERN + ",format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='clip((X-80)*255/160,0,255)'"
# For formats with one bit of alpha: a hard edge.
CUT_OUT = PATTERN + ",format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(gt(hypot(X-160,Y-90),70),0,255)'"
BT709 = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12"]


class Folder:
    """Makes files in a folder, each once."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def file(self, name, make):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            partial = os.path.join(self.path, "partial-" + name)
            make(partial)
            os.rename(partial, path)
        return path

    def encoded(self, name, *arguments):
        return self.file(name, lambda path: ffmpeg(*arguments, path))

    def drawn(self, name, source, *arguments):
        return self.encoded(name, "-f", "lavfi", "-i", source, *arguments)

    def changed(self, name, original, change):
        """`change` takes the bytes of `original` and gives those of the new file."""
        def make(path):
            with open(original, "rb") as source, open(path, "wb") as target:
                target.write(change(source.read()))
        return self.file(name, make)


def exif(orientation):
    """A TIFF structure with the one entry."""
    return b"MM\0\x2a\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 274, 3, 1, orientation, 0, 0)


def jpeg_with_orientation(data, orientation):
    content = b"Exif\0\0" + exif(orientation)
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content + data[2:]


def png_with_orientation(data, orientation):
    chunk = b"eXIf" + exif(orientation)
    # Behind the signature and the header chunk.
    return data[:33] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[33:]


def webp_with_orientation(data, orientation, width, height):
    chunks = data[12:]
    if chunks[:4] == b"VP8X":
        chunks = chunks[18:]
    head = b"VP8X" + struct.pack("<IB3x", 10, 0x08) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + head + chunks + b"EXIF" + struct.pack("<I", len(exif(0))) + exif(orientation)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def tiff(width, height, pixels, channels, orientation=1, extra=None):
    """An uncompressed picture of eight bits a channel. `extra`: 1 for premultiplied alpha, 2 for
    straight.
    """
    entries = [(256, 4, 1, width), (257, 4, 1, height), (259, 3, 1, 1), (262, 3, 1, 2), (274, 3, 1, orientation),
               (277, 3, 1, channels), (278, 4, 1, height), (279, 4, 1, len(pixels)), (284, 3, 1, 1)]
    if extra:
        entries.append((338, 3, 1, extra))
    size = 8 + 2 + 12 * (len(entries) + 2) + 4
    entries += [(258, 3, channels, size), (273, 4, 1, size + 2 * channels)]
    directory = b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries))
    return (b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + struct.pack("<I", 0)
            + struct.pack("<H", 8) * channels + pixels)


def flat_jpeg(blocks, columns, components, adobe=None):
    """A JPEG whose 8×8 blocks are flat: `blocks` has a tuple of sample values for each. Every
    coefficient but the first is zero, so that a decoder gives back exactly these values."""
    lengths = [0, 1, 5, 1, 1, 1, 1, 1, 1] + [0] * 7
    codes, code, index = {}, 0, 0
    for bits, count in enumerate(lengths, 1):
        for _ in range(count):
            codes[index] = (code, bits)
            code, index = code + 1, index + 1
        code <<= 1
    rows = len(blocks) // columns
    out = b"\xff\xd8"
    if adobe is not None:
        out += b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0" + bytes([adobe])
    out += b"\xff\xdb\0\x43\0" + bytes([8] + [1] * 63)
    out += b"\xff\xc0" + struct.pack(">HBHHB", 8 + 3 * components, 8, 8 * rows, 8 * columns, components)
    out += b"".join(bytes([c + 1, 0x11, 0]) for c in range(components))
    out += b"\xff\xc4\0\x1f\0" + bytes(lengths) + bytes(range(12))
    out += b"\xff\xc4\0\x14\x10" + bytes([1] + [0] * 15) + b"\0"
    out += b"\xff\xda" + struct.pack(">HB", 6 + 2 * components, components)
    out += b"".join(bytes([c + 1, 0]) for c in range(components)) + b"\0\x3f\0"
    bits, previous = "", [0] * components
    for block in blocks:
        for c in range(components):
            change, previous[c] = block[c] - 128 - previous[c], block[c] - 128
            size = abs(change).bit_length()
            word, length = codes[size]
            bits += format(word, f"0{length}b")
            if size:
                bits += format(change if change > 0 else change + (1 << size) - 1, f"0{size}b")
            bits += "0"  # no other coefficient
    bits += "1" * (-len(bits) % 8)
    scan = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    return out + scan.replace(b"\xff", b"\xff\0") + b"\xff\xd9"


def with_graphics_mode(data, mode):
    """A QuickTime file whose video header says how its alpha is meant (0x100 straight, 0x102
    premultiplied with black).
    """
    at = data.index(b"vmhd") + 8
    return data[:at] + struct.pack(">H", mode) + data[at + 2:]


def with_wrapped_clock(data, before):
    """A transport stream whose clocks wrap around: every timestamp is moved to `before` ticks short
    of 2^33.
    """
    data, packets = bytearray(data), range(0, len(data) - 187, 188)
    first = min(stamp for at in packets for stamp, _ in stamps(data, at))
    shift = (1 << 33) - before - first
    for at in packets:
        for stamp, place in stamps(data, at):
            write_stamp(data, place, (stamp + shift) % (1 << 33))
        if data[at + 3] & 0x20 and data[at + 4] and data[at + 5] & 0x10:
            base = int.from_bytes(data[at + 6:at + 11], "big") >> 7
            data[at + 6:at + 10] = ((base + shift) % (1 << 33) >> 1).to_bytes(4, "big")
            data[at + 10] = data[at + 10] & 0x7f | ((base + shift) & 1) << 7
    return bytes(data)


def stamps(data, at):
    """The timestamps of the PES header in the packet at `at`, each with its place."""
    if not data[at + 1] & 0x40:
        return []
    start = at + 4 + (1 + data[at + 4] if data[at + 3] & 0x20 else 0)
    if start > at + 170 or data[start:start + 3] != b"\0\0\x01" or data[start + 3] < 0xc0:
        return []
    places = [start + 9 + 5 * i for i in range({2: 1, 3: 2}.get(data[start + 7] >> 6, 0))]
    return [((data[p] >> 1 & 7) << 30 | (int.from_bytes(data[p + 1:p + 3], "big") >> 1) << 15
             | int.from_bytes(data[p + 3:p + 5], "big") >> 1, p) for p in places]


def write_stamp(data, place, stamp):
    data[place] = data[place] & 0xf0 | (stamp >> 30) << 1 | 1
    data[place + 1:place + 3] = ((stamp >> 15 & 0x7fff) << 1 | 1).to_bytes(2, "big")
    data[place + 3:place + 5] = ((stamp & 0x7fff) << 1 | 1).to_bytes(2, "big")
