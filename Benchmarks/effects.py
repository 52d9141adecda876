#!/usr/bin/env python3
"""Renders a picture with each shipped effect, measures what a frame costs, and prints docs/effects.md's reference.

usage: effects.py [--write] [--media FILE] [--sounds]

--write: into docs/effects.md and docs/effects/     FILE: a picture instead of the drawn ones     --sounds: the sound effects alone

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
    "vignette": ("landscape", "strength = 0.8", 0.5),
}

# Of each sound effect: the values it is shown with.
HEARD = {
    "compressor": "threshold = -24, ratio = 3, makeup = 4",
    "ducking": "threshold = -35, amount = 12",
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
            [one for one in found if one["kind"] == "audio_filter"])


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


def snapshots(program, folder, shown):
    """A PNG for each effect, in their order."""
    lines = ['local cutroom = require "cutroom"',
             f"local draft = cutroom.draft {{ size = {{ {effect_pictures.WIDTH}, {effect_pictures.HEIGHT} }}, fps = 30 }}"]
    for index, effect in enumerate(shown):
        picture, values, since = SHOWN[effect["name_in_files"]]
        lines.append(f'draft:add_image("{picture}.png", {{ duration = 1 }})')
        start = index + 0.5 - since
        lines.append(f'draft:add_effect("{effect["id"]}", {{ range = {{ {start}, {index + 1 - start} }}, {values} }})')
    with open(os.path.join(folder, "effects.lua"), "w") as script:
        script.write("\n".join([*lines, "return draft", ""]))
    subprocess.run([program, "snapshots", os.path.join(folder, "effects.lua"), "-n", str(len(shown)), "-o",
                    os.path.join(folder, "shots")], check=True, stdout=subprocess.DEVNULL)
    return sorted(glob.glob(os.path.join(folder, "shots", "*.png")))


def costs(folder, libraries, effect):
    """Milliseconds by format."""
    said = subprocess.run([os.path.join(folder, "effect_cost"), os.path.join(libraries, effect["library"]), effect["id"]],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}


def number(value):
    return f"{value:g}"


def parameter(one):
    if one["kind"] == "enum":
        bounds, start = ", ".join(f"`{choice}`" for choice in one["choices"]), f"`{one['choices'][int(one['default'][0])]}`"
    elif one["kind"] == "color":
        start = "`#" + "".join("%02x" % round(255 * value) for value in one["default"][:3]) + "`"
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
    values = HEARD[name] if name in HEARD else SHOWN[name][1]
    if effect.get("keyed"):
        return f'draft:add_audio("music.m4a", {{ effects = {{ {{ "{effect["id"]}", {{ {values} }} }} }} }})'
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=f"{ROOT}/.build/release/cutroom",
        help="the cutroom to render with; its plugins are beside it")
    parser.add_argument("--libraries", help="the folder of the plugins to measure (default: beside the program)")
    parser.add_argument("--media", help="a picture or a video to show the effects on; the first frame counts")
    parser.add_argument("--write", action="store_true", help="write docs/effects.md and docs/effects/")
    parser.add_argument("--sounds", action="store_true", help="the sound effects alone, without pictures")
    options = parser.parse_args()
    shown, heard = effects()
    document = os.path.join(ROOT, "docs", "effects.md")
    libraries = options.libraries or os.path.dirname(options.program)
    with tempfile.TemporaryDirectory(prefix="cutroom-effects-") as folder:
        subprocess.run(["cc", "-std=gnu11", "-O2", "-I", f"{ROOT}/Sources/PluginABI/include", "-o",
            os.path.join(folder, "effect_cost"),
                        f"{ROOT}/Benchmarks/effect_cost.c", "-ldl"], check=True)
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
        if len(shots) != len(shown):
            sys.exit(f"{len(shots)} snapshots of {len(shown)} effects")
        cost = {effect["id"]: costs(folder, libraries, effect) for effect in shown}
        text = reference(shown, cost)
        if not options.write:
            print(text)
            return
        target = os.path.join(ROOT, "docs", "effects")
        os.makedirs(target, exist_ok=True)
        for effect, shot in zip(shown, shots):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", shot, "-vf", "scale=480:270:flags=lanczos,format=yuvj420p",
                "-q:v", "4",
                            "-map_metadata", "-1", "-bitexact", os.path.join(target, effect["name_in_files"] + ".jpg")],
                                check=True)
    replace(document, START, END, text)


if __name__ == "__main__":
    main()
