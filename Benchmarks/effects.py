#!/usr/bin/env python3
"""Renders a picture with each shipped effect, measures what a frame costs, and prints docs/effects.md's reference.

usage: effects.py [--write] [--media FILE] [--sounds | --sources]

--write: into docs/effects.md and docs/effects/     FILE: a picture instead of the drawn ones
--sounds, --sources: the sound effects, or the sources, alone

The pictures are snapshots of one draft in which each effect has a second. The cost is the mean processor time of `process` over
a second of 1080p30 (effect_cost.c), with the defaults, on one thread, best of three for each frame; for sound effects over
a second of stereo at 48 kHz.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import effect_pictures
from workload import ROOT

START, END = "<!-- effects.py: begin -->", "<!-- effects.py: end -->"
SOURCE_START, SOURCE_END = "<!-- effects.py: sources begin -->", "<!-- effects.py: sources end -->"
SOUND_START, SOUND_END = "<!-- effects.py: sounds begin -->", "<!-- effects.py: sounds end -->"
# Of each effect: the picture it is shown on, its values there, and how long it has been running.
SHOWN = {
    "beauty": ("portrait", "smooth = 0.9, whiten = 0.4, radius = 9", 0.5),
    "blur": ("landscape", "radius = 8", 0.5),
    "chroma_key": ("screen", 'color = "#28b446", similarity = 0.13, smoothness = 0.06, image = "landscape.png"', 0.5),
    "flash": ("landscape", "", 0.1),
    "glitch": ("landscape", "seed = 3, bursts = 1, shift = 90, split = 12", 0.5),
    "kaleidoscope": ("landscape", "segments = 6, turn = 200", 0.5),
    "mirror": ("landscape", 'side = "left"', 0.5),
    "old_film": ("landscape", "scratches = 0.8, dust = 0.6", 0.5),
    "pixelate": ("portrait", "tile = 16, position = { 390, 190 }, size = { 180, 110 }", 0.5),
    "rgb_split": ("landscape", "amount = 8", 0.5),
    "shake": ("landscape", "amplitude = 24, rotation = 3, motion_blur = 1", 0.5),
    "sharpen": ("landscape", "amount = 1.5, radius = 1.2", 0.5),
    "soul_out": ("landscape", "", 0.25),
    "strobe": ("landscape", 'strength = 0.6', 0.05),
    "transform": ("landscape", "dx = 0.06, angle = -8, zoom = 1.1", 0.5),
    "vignette": ("landscape", "strength = 0.8", 0.5),
}

# Of each source: the values it is shown with, half a second after its beginning.
MADE = {
    "gradient": "speed = 0.1",
    "spectrum": 'media = "song.m4a", background = "#101426", bars = 40',
    "waveform": 'media = "song.m4a", background = "#101426", color = "#6fd3ff"',
}

# Of each sound effect: the values it is shown with.
HEARD = {
    "compressor": "threshold = -24, ratio = 3, makeup = 4",
    "echo": "delay = 0.3, feedback = 0.5",
    "equalizer": "low_cut = 80, mid_frequency = 3000, mid_gain = 4",
    "gain": "gain = { { 0, -40 }, { 2, 0 } }, range = { 0, 2 }",
    "noise_reduction": "amount = 12",
    "pitch": "semitones = -4",
}


def effects():
    """The metadata of all shipped effects, in order of id, with the library of each."""
    found = []
    for path in glob.glob(os.path.join(ROOT, "Plugins", "**", "effect.json"), recursive=True):
        with open(path) as file:
            metadata = json.load(file)
        folder = os.path.relpath(os.path.dirname(path), os.path.join(ROOT, "Plugins")).split(os.sep)[0]
        metadata["library"] = f"libcutroom_plugin_{folder.replace('-', '_')}.so"
        metadata["name_in_files"] = metadata["id"].split(".")[-1]
        found.append(metadata)
    found.sort(key=lambda one: one["id"])
    return ([one for one in found if one["kind"] == "filter" and one["name_in_files"] in SHOWN],
            [one for one in found if one["kind"] == "audio_filter"],
            [one for one in found if one["kind"] == "source" and one["name_in_files"] in MADE])


def pictures(folder, media):
    """landscape.png, portrait.png and screen.png in the folder."""
    made = {"landscape": effect_pictures.landscape, "portrait": effect_pictures.portrait,
            "screen": lambda path: effect_pictures.portrait(path, (40, 180, 70))}
    for name, draw in made.items():
        source = media
        if not media:
            source = os.path.join(folder, name + ".ppm")
            draw(source)
        size = f"{effect_pictures.WIDTH}:{effect_pictures.HEIGHT}"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, "-frames:v", "1", "-vf",
                        f"scale={size}:force_original_aspect_ratio=increase,crop={size}", os.path.join(folder, name + ".png")],
                       check=True)


def song(folder):
    """song.m4a in the folder: notes that die away, twice in a second."""
    note = "(220*pow(2,mod(floor(2*t)*5,12)/12))"
    # With a beat of noise.
    formula = "0.15*(random(0)-0.5)*exp(-8*mod(t,0.25))+" + "+".join(f"{0.3 / k}*sin(2*PI*{k}*{note}*t)*exp(-{3 + k}*mod(t,0.5))" for k in range(1, 7))
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"aevalsrc='{formula}':s=48000:d=4", "-c:a", "aac",
                    os.path.join(folder, "song.m4a")], check=True)


def source_snapshots(program, folder, made):
    """A PNG for each source, in their order."""
    return take(program, folder, "sources", [
        f'draft:add_source("{effect["id"]}", {{ duration = 1, {MADE[effect["name_in_files"]]}'
        + (", offset = 0.8" if "media" in MADE[effect["name_in_files"]] else "") + " })" for effect in made], len(made))


def snapshots(program, folder, shown):
    """A PNG for each effect, in their order."""
    lines = []
    for index, effect in enumerate(shown):
        picture, values, since = SHOWN[effect["name_in_files"]]
        lines.append(f'draft:add_image("{picture}.png", {{ duration = 1 }})')
        start = index + 0.5 - since
        lines.append(f'draft:add_effect("{effect["id"]}", {{ range = {{ {start}, {index + 1 - start} }}, {values} }})')
    return take(program, folder, "effects", lines, len(shown))


def take(program, folder, name, body, count):
    """`count` snapshots of a draft."""
    lines = ['local cutroom = require "cutroom"',
             f"local draft = cutroom.draft {{ size = {{ {effect_pictures.WIDTH}, {effect_pictures.HEIGHT} }}, fps = 30 }}"]
    script = os.path.join(folder, name + ".lua")
    with open(script, "w") as file:
        file.write("\n".join([*lines, *body, "return draft", ""]))
    subprocess.run([program, "snapshots", script, "-n", str(count), "-o", os.path.join(folder, name)], check=True,
                   stdout=subprocess.DEVNULL)
    shots = sorted(glob.glob(os.path.join(folder, name, "*.png")))
    if len(shots) != count:
        sys.exit(f"{len(shots)} snapshots of {count} {name}")
    return shots


def costs(folder, libraries, effect, *values):
    """Milliseconds by format."""
    said = subprocess.run([os.path.join(folder, "effect_cost"), os.path.join(libraries, effect["library"]), effect["id"], *values],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}


def number(value):
    return f"{value:g}"


def parameter(one):
    if one["kind"] == "enum":
        bounds, start = ", ".join(f"`{choice}`" for choice in one["choices"]), f"`{one['choices'][int(one['default'][0])]}`"
    elif one["kind"] == "color":
        parts = one["default"] if one["default"][3] < 1 else one["default"][:3]
        start = "`#" + "".join("%02x" % round(255 * value) for value in parts) + "`"
        bounds = "a colour"
    elif one["kind"] in ("path", "string"):
        bounds, start = "a " + one["kind"], "none"
    else:
        bounds = f"{number(one['minimum'])} … {number(one['maximum'])} {one['unit']}".strip()
        start = ", ".join(map(number, one["default"]))
        if len(one["default"]) > 1:
            bounds, start = "two numbers, " + bounds, "{ " + start + " }"
    note = "" if one["animatable"] else " (not animated)"
    return f"| `{one['id']}` | {bounds}{note} | {start} | {one['help']} |"


def example(effect):
    name = effect["name_in_files"]
    if name in MADE:
        return f'draft:add_source("{effect["id"]}", {{ duration = 5, {MADE[name]} }})'
    values = HEARD[name] if name in HEARD else SHOWN[name][1]
    return f'draft:add_effect("{effect["id"]}", {{ {values} }})' if values else f'draft:add_effect("{effect["id"]}")'


def reference(shown, cost):
    lines = ["| effect | id | 4:2:0, ms | RGBA, ms |", "| --- | --- | --- | --- |"]
    for effect in shown:
        spent = cost[effect["id"]]
        columns = " | ".join(f"{spent[name]:.1f}" if name in spent else "" for name in ("yuv420p8", "rgba8"))
        lines.append(f"| [{effect['name']}](#{effect['name'].lower().replace(' ', '-')}) | `{effect['id']}` | {columns} |")
    for effect in shown:
        name = effect["name_in_files"]
        lines += ["", f"## {effect['name']}", "", effect["help"], "", f"![{effect['name']}](effects/{name}.jpg)", "", "```lua",
            example(effect), "```",
                  "", "| parameter | values | default | |", "| --- | --- | --- | --- |", *map(parameter, effect["parameters"])]
    return "\n".join(lines) + "\n"


def source_reference(made, cost):
    lines = ["| source | id | ms |", "| --- | --- | --- |"]
    for effect in made:
        lines.append(f"| [{effect['name']}](#{effect['name'].lower()}) | `{effect['id']}` | {cost[effect['id']]['rgba8']:.1f} |")
    for effect in made:
        lines += ["", f"## {effect['name']}", "", effect["help"], "", f"![{effect['name']}](effects/{effect['name_in_files']}.jpg)", "", "```lua",
                  example(effect), "```", "", "| parameter | values | default | |", "| --- | --- | --- | --- |",
                  *map(parameter, effect["parameters"])]
    return "\n".join(lines) + "\n"


def sound_reference(heard, cost):
    lines = ["| effect | id | ms |", "| --- | --- | --- |"]
    for effect in heard:
        anchor = effect["name"].lower().replace(" ", "-")
        lines.append(f"| [{effect['name']}](#{anchor}) | `{effect['id']}` | {cost[effect['id']]['pcmf32_planar']:.1f} |")
    for effect in heard:
        lines += ["", f"## {effect['name']}", "", effect["help"], "", "```lua", example(effect), "```", "",
                  "| parameter | values | default | |", "| --- | --- | --- | --- |", *map(parameter, effect["parameters"])]
    return "\n".join(lines) + "\n"


def replace(document, start, end, text):
    with open(document) as file:
        before, rest = file.read().split(start)
    with open(document, "w") as file:
        file.write(before + start + "\n" + text + end + rest.split(end)[1])


def put(shots, shown):
    """Small pictures of them in docs/effects/."""
    target = os.path.join(ROOT, "docs", "effects")
    os.makedirs(target, exist_ok=True)
    for effect, shot in zip(shown, shots):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", shot, "-vf", "scale=480:270:flags=lanczos,format=yuvj420p", "-q:v", "4",
                        "-map_metadata", "-1", "-bitexact", os.path.join(target, effect["name_in_files"] + ".jpg")], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=f"{ROOT}/.build/release/cutroom",
        help="the cutroom to render with; its plugins are beside it")
    parser.add_argument("--libraries", help="the folder of the plugins to measure (default: beside the program)")
    parser.add_argument("--media", help="a picture or a video to show the effects on; the first frame counts")
    parser.add_argument("--write", action="store_true", help="write docs/effects.md and docs/effects/")
    parser.add_argument("--sounds", action="store_true", help="the sound effects alone, without pictures")
    parser.add_argument("--sources", action="store_true", help="the sources alone")
    options = parser.parse_args()
    shown, heard, made = effects()
    document = os.path.join(ROOT, "docs", "effects.md")
    libraries = options.libraries or os.path.dirname(options.program)
    with tempfile.TemporaryDirectory(prefix="cutroom-effects-") as folder:
        subprocess.run(["cc", "-std=gnu11", "-O2", "-I", f"{ROOT}/Sources/PluginABI/include", "-o",
            os.path.join(folder, "effect_cost"),
                        f"{ROOT}/Benchmarks/effect_cost.c", "-ldl"], check=True)
        if not options.sounds:
            song(folder)
            shots = source_snapshots(options.program, folder, made)
            media = "media=" + os.path.join(folder, "song.m4a")
            text = source_reference(made, {effect["id"]: costs(folder, libraries, effect, media) for effect in made})
            if options.write:
                put(shots, made)
                replace(document, SOURCE_START, SOURCE_END, text)
            else:
                print(text)
        if options.sources:
            return
        cost = {effect["id"]: costs(folder, libraries, effect) for effect in heard}
        text = sound_reference(heard, cost)
        if options.write:
            replace(document, SOUND_START, SOUND_END, text)
        else:
            print(text)
        if options.sounds:
            return
        pictures(folder, options.media)
        shots = snapshots(options.program, folder, shown)
        cost = {effect["id"]: costs(folder, libraries, effect) for effect in shown}
        text = reference(shown, cost)
        if not options.write:
            print(text)
            return
        put(shots, shown)
    replace(document, START, END, text)


if __name__ == "__main__":
    main()
