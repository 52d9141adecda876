#!/usr/bin/env python3
"""Renders a picture with each shipped effect, measures what a frame costs, and prints docs/effects.md's reference.

usage: effects.py [--write] [--media FILE] [--only effects|transitions|sources|sounds]

--write: into docs/effects.md and docs/effects/     FILE: a picture instead of the drawn ones

The pictures are snapshots of one draft in which each effect has a second, and of another one in which each transition has one,
from the middle of it. The cost is the mean processor time of `process` over
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

# Of each transition: the values it is shown with.
JOINED = {
    "burn": "size = 300",
    "circle_close": "softness = 0.3",
    "circle_open": "center = { 0.4, 0.4 }",
    "cube": 'direction = "left"',
    "luma_matte": 'image = "matte.png", softness = 0.2',
    "whip_pan": 'direction = "left", distance = 3',
    "zoom": "zoom = 3",
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
    """The metadata of all shipped effects that are shown, in order of id, with the library of each: by the name of their group."""
    found = []
    for path in glob.glob(os.path.join(ROOT, "Plugins", "**", "effect.json"), recursive=True):
        with open(path) as file:
            metadata = json.load(file)
        folder = os.path.relpath(os.path.dirname(path), os.path.join(ROOT, "Plugins")).split(os.sep)[0]
        metadata["library"] = f"libcutroom_plugin_{folder.replace('-', '_')}.so"
        metadata["name_in_files"] = metadata["id"].split(".")[-1]
        found.append(metadata)
    found.sort(key=lambda one: one["id"])
    groups = {"effects": ("filter", SHOWN), "transitions": ("transition", JOINED), "sources": ("source", MADE),
              "sounds": ("audio_filter", HEARD)}
    return {name: [one for one in found if one["kind"] == kind and one["name_in_files"] in values]
            for name, (kind, values) in groups.items()}


def pictures(folder, media):
    """landscape.png, portrait.png, screen.png and matte.png in the folder."""
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
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                    "color=black:s=480x270:d=1,format=gray,geq=lum='127.5+127.5*sin((hypot(X-240,Y-135)+36*atan2(Y-135,X-240))/36)'",
                    "-frames:v", "1", os.path.join(folder, "matte.png")], check=True)
    song(folder)


def song(folder):
    """song.m4a in the folder: notes that die away, twice in a second."""
    note = "(220*pow(2,mod(floor(2*t)*5,12)/12))"
    # With a beat of noise.
    formula = "0.15*(random(0)-0.5)*exp(-8*mod(t,0.25))+" + "+".join(
        f"{0.3 / k}*sin(2*PI*{k}*{note}*t)*exp(-{3 + k}*mod(t,0.5))" for k in range(1, 7))
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"aevalsrc='{formula}':s=48000:d=4", "-c:a", "aac",
                    os.path.join(folder, "song.m4a")], check=True)


# For each group, the lines of a script whose every second shows one of its effects in the middle.


def effect_lines(shown):
    for index, effect in enumerate(shown):
        picture, values, since = SHOWN[effect["name_in_files"]]
        start = index + 0.5 - since
        yield f'draft:add_image("{picture}.png", {{ duration = 1 }})'
        yield f'draft:add_effect("{effect["id"]}", {{ range = {{ {start}, {index + 1 - start} }}, {values} }})'


def transition_lines(joined):
    yield 'draft:add_image("landscape.png", { duration = 1 })'
    for index, effect in enumerate(joined):
        picture = ("portrait", "landscape")[index % 2]
        yield f'draft:add_image("{picture}.png", {{ duration = 2, transition = {transition(effect, 1)} }})'
    yield f"draft.time_range = {{ 0, {len(joined)} }}"


def source_lines(made):
    for effect in made:
        values = MADE[effect["name_in_files"]]
        yield f'draft:add_source("{effect["id"]}", {{ duration = 1, {values}{", offset = 0.8" if "media" in values else ""} }})'


def snapshots(program, folder, name, body, count):
    """PNGs from the middles of `count` parts of a draft."""
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
        bounds, start = "a " + one["kind"], f"`{one['default_text']}`" if "default_text" in one else "none"
    elif one["kind"] == "bool":
        bounds, start = "true or false", "true" if one["default"][0] else "false"
    else:
        bounds = f"{number(one['minimum'])} … {number(one['maximum'])} {one['unit']}".strip()
        start = ", ".join(map(number, one["default"]))
        if len(one["default"]) > 1:
            bounds, start = "two numbers, " + bounds, "{ " + start + " }"
    note = "" if one["animatable"] else " (not animated)"
    return f"| `{one['id']}` | {bounds}{note} | {start} | {one['help']} |"


def transition(effect, seconds):
    return f'{{ kind = "{effect["id"]}", duration = {seconds}, {JOINED[effect["name_in_files"]]} }}'


def example(effect):
    name = effect["name_in_files"]
    if name in MADE:
        return f'draft:add_source("{effect["id"]}", {{ duration = 5, {MADE[name]} }})'
    if name in JOINED:
        return f'draft:add_clip("b.mp4", {{ transition = {transition(effect, 0.5)} }})'
    values = HEARD[name] if name in HEARD else SHOWN[name][1]
    if effect.get("keyed"):
        return f'draft:add_audio("music.m4a", {{ effects = {{ {{ "{effect["id"]}", {{ {values} }} }} }} }})'
    return f'draft:add_effect("{effect["id"]}", {{ {values} }})' if values else f'draft:add_effect("{effect["id"]}")'


# Of each group: what its table calls an effect, and the formats whose cost it has.
TABLES = {
    "effects": ("effect", {"yuv420p8": "4:2:0, ms", "rgba8": "RGBA, ms"}),
    "transitions": ("transition", {"yuv420p8": "4:2:0, ms", "rgba8": "RGBA, ms"}),
    "sources": ("source", {"rgba8": "ms"}),
    "sounds": ("effect", {"pcmf32_planar": "ms"}),
}


def reference(group, some, cost):
    title, formats = TABLES[group]
    lines = [f"| {title} | id | {' | '.join(formats.values())} |", "| --- | --- |" + " --- |" * len(formats)]
    for effect in some:
        spent = cost[effect["id"]]
        columns = " | ".join(f"{spent[name]:.1f}" if name in spent else "" for name in formats)
        lines.append(f"| [{effect['name']}](#{effect['name'].lower().replace(' ', '-')}) | `{effect['id']}` | {columns} |")
    for effect in some:
        lines += ["", f"## {effect['name']}", "", effect["help"], ""]
        if group != "sounds":
            lines += [f"![{effect['name']}](effects/{effect['name_in_files']}.jpg)", ""]
        lines += ["```lua", example(effect), "```", "", "| parameter | values | default | |", "| --- | --- | --- | --- |",
                  *map(parameter, effect["parameters"])]
    return "\n".join(lines) + "\n"


def replace(document, group, text):
    start, end = (f"<!-- effects.py: {group} {side} -->" for side in ("begin", "end"))
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
    parser.add_argument("--only", choices=list(TABLES), help="one group alone")
    options = parser.parse_args()
    document = os.path.join(ROOT, "docs", "effects.md")
    libraries = options.libraries or os.path.dirname(options.program)
    lines = {"effects": effect_lines, "transitions": transition_lines, "sources": source_lines}
    with tempfile.TemporaryDirectory(prefix="cutroom-effects-") as folder:
        subprocess.run(["cc", "-std=gnu11", "-O2", "-I", f"{ROOT}/Sources/PluginABI/include", "-o",
                        os.path.join(folder, "effect_cost"), f"{ROOT}/Benchmarks/effect_cost.c", "-ldl"], check=True)
        pictures(folder, options.media)
        for group, some in effects().items():
            if options.only not in (None, group):
                continue
            shots = snapshots(options.program, folder, group, lines[group](some), len(some)) if group in lines else []
            # Sources need something to draw, and with its defaults a transform passes the picture on.
            values = {"sources": [f"media={folder}/song.m4a"], "org.cutroom.transform": ["zoom=1.1", "angle=3"]}
            text = reference(group, some, {
                effect["id"]: costs(folder, libraries, effect, *values.get(effect["id"], values.get(group, []))) for effect in some})
            if options.write:
                put(shots, some)
                replace(document, group, text)
            else:
                print(text)


if __name__ == "__main__":
    main()
