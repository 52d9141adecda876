#!/usr/bin/env python3
"""Renders a picture with each shipped effect, measures what a frame costs, and prints the reference
in docs/reference.

usage: effects.py [--write] [--keep-costs] [--media FILE] [--only GROUP…]
       effects.py --check

--write: into docs/reference/ and docs/effects/     FILE: a picture instead of the drawn ones
--keep-costs: measures only what has no cost yet   --check: only whether each shipped effect has its
picture GROUP: effects, transitions, sources, chains (of libavfilter), sounds or analysers

The pictures are snapshots of one draft in which each effect has a second, and of another one in
which each transition has one, from the middle of it. A sound effect is shown by Cutroom's waveform
or spectrum of a sound before and after it. The cost is the mean processor time of `process` over a
second of 1080p30 (effect_cost.c), with the defaults, on one thread, best of three for each frame;
for sound effects over a second of stereo at 48 kHz.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import effect_pictures
from workload import ROOT

# For each effect: the picture (a clip if it has a suffix) that shows it, its values, and the time
# in the effect.
SHOWN = {
    "beauty": ("portrait", "smooth = 0.9, whiten = 0.4, radius = 9", 0.5),
    "blur": ("landscape", "radius = 8", 0.5),
    "chroma_key": ("screen", 'image = "landscape.png"', 0.5),
    "flash": ("landscape", "", 0.1),
    "glitch": ("landscape", "seed = 3, bursts = 1, shift = 90, split = 12", 0.5),
    "kaleidoscope": ("landscape", "segments = 6, turn = 200", 0.5),
    "libavfilter": ("shaky.mp4", 'graph = "tmix=frames=8"', 0.5),
    "libavfilter_pure": ("landscape", 'graph = "hue=s=0,eq=contrast=1.2"', 0.5),
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
    "xfade": 'transition = "hlslice"',
    "zoom": "zoom = 3",
}

# Draws a whole sound of four seconds: its waveform, its spectrum, or its spectrogram.
WAVE = "org.cutroom.waveform", 'window = 4, position = 1, bars = 190, gap = 0.2, roundness = 0, color = "{color}"'
BARS = "org.cutroom.spectrum", 'window = 1, bars = 90, gap = 0.2, roundness = 0, floor = -54, gain = 26, color = "{color}", color_2 = "{color}"'
MAP = ("org.cutroom.spectrum",
       'style = "spectrogram", history = 4, window = 0.06, low = 150, high = 4000, floor = -90, color = "#5c9be0", color_2 = "#fff2b0"')

# Of each sound effect: the sound it is shown with, what draws that, and the effect's values.
HEARD = {
    "compressor": ("bursts", WAVE, "threshold = -24, ratio = 4, makeup = 12"),
    "ducking": ("music", WAVE, "threshold = -35, amount = 12"),
    "echo": ("clicks", WAVE, "delay = 0.3, feedback = 0.6"),
    "equalizer": ("noise", BARS, "low_cut = 120, mid_frequency = 1500, mid_gain = -24, high_gain = 6"),
    "gain": ("music", WAVE, "gain = { { 0, -40 }, { 2, 0 } }, range = { 0, 2 }"),
    "libavfilter_audio": ("tone", WAVE, 'graph = "tremolo=f=2:d=0.9"'),
    "noise_reduction": ("hiss", MAP, "amount = 24"),
    "pitch": ("melody", MAP, "semitones = 12"),
}

# The sounds: what ffmpeg's aevalsrc makes them of.
SOUNDS = {
    "bursts": "if(lt(mod(t,1),0.5),0.9,0.12)*sin(2*PI*330*t)*lt(mod(t,0.5),0.4)",
    "clicks": "0.9*sin(2*PI*700*t)*exp(-40*mod(t+1.8,2))",
    "hiss": "0.04*(random(0)-0.5)+0.3*sin(2*PI*(300+250*floor(t))*t)*between(mod(t,1),0.3,0.7)",
    "melody": "+".join(f"{0.3 / k}*sin(2*PI*{k}*220*pow(2,mod(floor(2*t)*5,12)/12)*t)" for k in (1, 2, 3)),
    "music": "0.6*sin(2*PI*220*t)*exp(-2*mod(t,0.25))+0.25*sin(2*PI*331*t)",
    "noise": "0.5*(random(0)-0.5)",
    "tone": "0.8*sin(2*PI*220*t)",
    # What keys an effect: somebody who speaks in the second second.
    "voice": "0.8*sin(2*PI*170*t)*abs(sin(2*PI*2.5*t))*between(t,1,2)",
}

# Of each analyser: the clip that its cost is measured on.
ANALYSED = {"camera_motion": "shaky.mp4", "faces": "portrait.png"}


def effects():
    """The metadata of all shipped effects, in order of id, with the library of each: by the name of
    their group.
    """
    found = []
    for path in glob.glob(os.path.join(ROOT, "Plugins", "**", "effect.json"), recursive=True):
        with open(path) as file:
            metadata = json.load(file)
        folder = os.path.relpath(os.path.dirname(path), os.path.join(ROOT, "Plugins")).split(os.sep)[0]
        metadata["library"] = f"libcutroom_plugin_{folder.replace('-', '_')}.so"
        metadata["name_in_files"] = metadata["id"].split(".")[-1]
        found.append(metadata)
        if not any(metadata["name_in_files"] in names for names in (SHOWN, JOINED, MADE, HEARD, ANALYSED)):
            sys.exit(f"{metadata['id']} ({os.path.relpath(path, ROOT)}) has no picture: "
                     "put into SHOWN, JOINED, MADE, HEARD or ANALYSED in Benchmarks/effects.py how it is shown")
    found.sort(key=lambda one: one["id"])
    is_chain = lambda one: one["name_in_files"].startswith("libavfilter")
    kinds = {"effects": "filter", "transitions": "transition", "sources": "source", "sounds": "audio_filter", "analysers": "analyser"}
    groups = {group: [one for one in found if one["kind"] == kind and not is_chain(one)] for group, kind in kinds.items()}
    return {**groups, "chains": [one for one in found if is_chain(one)]}


def document(group):
    """The path of the page that has the group."""
    return os.path.join(ROOT, "docs", "reference", PAGES[group] + ".md")


def without_picture(found):
    """A sentence for each effect that has no picture in the documentation."""
    for group, some in found.items():
        with open(document(group)) as file:
            text = file.read()
        for one in some:
            name = f"effects/{one['name_in_files']}.jpg"
            if not os.path.exists(os.path.join(ROOT, "docs", name)):
                yield f"{one['id']} has no picture docs/{name}: run Benchmarks/effects.py --write"
            elif f"](../{name})" not in text:
                yield f"{one['id']} has a picture, docs/{name}, that docs/reference/{PAGES[group]}.md does not show"


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


    # The landscape in a hand that shakes, and a frame to put around a face.
    shake = "crop=960:540:x='50+floor(16*sin(2*PI*2.3*t)+10*sin(2*PI*5.1*t+1))':y='28+floor(13*sin(2*PI*3.1*t+2)+8*sin(2*PI*6.7*t))'"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-framerate", "30", "-loop", "1", "-t", "3", "-i", os.path.join(folder, "landscape.png"),
                    "-vf", f"scale=1060:596,{shake},format=yuv420p", "-c:v", "libx264", "-crf", "14", "-threads", "1",
                    os.path.join(folder, "shaky.mp4")], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=black:s=256x256:d=1,format=gbrap,"
                    "geq=r=73:g=224:b=122:a='255*gt(max(abs(X-127.5),abs(Y-127.5)),121)'", "-frames:v", "1", os.path.join(folder, "frame.png")], check=True)


def sounds(folder):
    """A wav of four seconds for each of SOUNDS, and voice.mp4, which has its sound on the left."""
    for name, formula in SOUNDS.items():
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"aevalsrc='{formula}':s=48000:d=4",
                        os.path.join(folder, name + ".wav")], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=black:s=64x64:r=30:d=4", "-i", os.path.join(folder, "voice.wav"),
                    "-af", "pan=stereo|c0=c0", "-c:a", "aac", os.path.join(folder, "voice.mp4")], check=True)


def song(folder):
    """song.m4a in the folder: notes that die away, twice in a second."""
    note = "(220*pow(2,mod(floor(2*t)*5,12)/12))"
    # With a beat of noise.
    formula = "0.15*(random(0)-0.5)*exp(-8*mod(t,0.25))+" + "+".join(
        f"{0.3 / k}*sin(2*PI*{k}*{note}*t)*exp(-{3 + k}*mod(t,0.5))" for k in range(1, 7))
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"aevalsrc='{formula}':s=48000:d=4", "-c:a", "aac",
                    os.path.join(folder, "song.m4a")], check=True)


# For each group, the lines of a script that shows one effect of the group in the middle of each
# second.


def effect_lines(shown):
    for index, effect in enumerate(shown):
        picture, values, since = SHOWN[effect["name_in_files"]]
        start = index + 0.5 - since
        yield f'draft:add_clip("{picture}", {{ range = {{ 0, 1 }} }})' if "." in picture else \
            f'draft:add_image("{picture}.png", {{ duration = 1 }})'
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


def sound_lines(heard):
    """Each one's sound, in a row of the picture before it and in another one after it; over them
    what keys the effect.
    """
    yield f'draft:add_source("org.cutroom.gradient", {{ duration = {len(heard)}, color = "#101426", color_2 = "#101426" }})'
    for index, effect in enumerate(heard):
        name = effect["name_in_files"]
        sound, (drawn, values), _ = HEARD[name]
        rows = [("before", sound, "#8f9bb0"), ("after", f"{name}.after", "#6fd3ff")]
        if effect.get("keyed"):
            rows = [("voice", "voice", "#ffc46b")] + [(f"{sound} {label}", *rest) for label, *rest in rows]
        height = effect_pictures.HEIGHT // len(rows)
        for row, (label, file, color) in enumerate(rows):
            rect = f"{{ 20, {row * height + 12}, {effect_pictures.WIDTH - 40}, {(height - 24) // 2 * 2} }}"
            yield (f'draft:add_effect("{drawn}", {{ media = "{file}.wav", rect = {rect}, range = {{ {index}, 1 }}, offset = 3.5, '
                   f'{values.format(color=color)} }})')
            yield (f'draft:add_title("{label}", {{ position = {{ 28, {row * height + 8} }}, size = 36, range = {{ {index}, 1 }}, '
                   'background = "#101426c0" })')


def write_script(folder, name, body, size=(effect_pictures.WIDTH, effect_pictures.HEIGHT)):
    script = os.path.join(folder, name + ".lua")
    with open(script, "w") as file:
        file.write("\n".join(['local cutroom = require "cutroom"', f"local draft = cutroom.draft {{ size = {{ {size[0]}, {size[1]} }}, fps = 30 }}",
                              *body, "return draft", ""]))
    return script


def hear(program, folder, effect):
    """NAME.after.wav in the folder: the effect's sound after it."""
    name = effect["name_in_files"]
    sound, _, values = HEARD[name]
    script = write_script(folder, "hear", [
        'draft:add_clip("voice.mp4")' if effect.get("keyed") else 'draft:add_image("matte.png", { duration = 4 })',
        f'draft:add_audio("{sound}.wav", {{ effects = {{ {{ "{effect["id"]}", {{ {values} }} }} }} }})'], (64, 64))
    mixed = os.path.join(folder, "mixed.wav")
    subprocess.run([program, "render", script, "-o", mixed, "--overwrite", "--no-cache"], check=True, stdout=subprocess.DEVNULL)
    # The voice is on the left alone.
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", mixed, "-af", "pan=mono|c0=c1", os.path.join(folder, name + ".after.wav")], check=True)


def found_face(program, folder):
    """A frame around the face that the analyser finds, with its numbers. A picture of somebody
    else's may have none.
    """
    width, height = effect_pictures.WIDTH, effect_pictures.HEIGHT
    return snapshots(program, folder, "faces", [
        'draft:add_image("portrait.png", { duration = 1 })',
        'local x, y, w, h = table.unpack(cutroom.analyse("portrait.png", "org.cutroom.faces").frames[1].faces)',
        'if not x then return draft end',
        f'draft:add_effect("sticker", {{ image = "frame.png", rect = {{ {width} * x, {height} * y, {width} * w, {height} * h }} }})',
        'draft:add_title(string.format("%.2f, %.2f, %.2f, %.2f", x, y, w, h), '
        f'{{ position = {{ math.floor({width} * x), math.floor({height} * (y + h)) + 12 }}, size = 40, color = "#49e07a", background = "#101426c0" }})'], 1)[0]


def held_still(program, folder):
    """A second of a shaken clip laid one frame over the other: on the left as it is, on the right
    with its motion taken off.
    """
    halves = []
    for name, label, steadied in (("shaken", "shaken", ""), ("steady", "held still",
            'draft:add_effect("org.cutroom.transform", cutroom.steady(cutroom.analyse("shaky.mp4", "org.cutroom.camera_motion")))')):
        left = effect_pictures.WIDTH // 4 + 16
        halves += ["-i", snapshots(program, folder, name, [
            'draft:add_clip("shaky.mp4")', steadied, 'draft:add_effect("org.cutroom.libavfilter", { graph = "tmix=frames=30" })',
            f'draft:add_title("{label}", {{ position = {{ {left}, 12 }}, size = 36, background = "#101426c0" }})'], 1)[0]]
    joined = os.path.join(folder, "camera_motion.png")
    subprocess.run(["ffmpeg", "-v", "error", "-y", *halves, "-filter_complex", "[0]crop=iw/2-2:ih[a];[1]crop=iw/2-2:ih,pad=iw+4:ih:4:0[b];[a][b]hstack",
                    "-frames:v", "1", joined], check=True)
    return joined


def shots_of(program, folder, group, some):
    """A PNG of each of a group's effects."""
    if group == "analysers":
        draw = {"faces": found_face, "camera_motion": held_still}
        return [draw[effect["name_in_files"]](program, folder) for effect in some]
    lines = {"transitions": transition_lines, "sources": source_lines}
    if group in lines:
        return snapshots(program, folder, group, lines[group](some), len(some))
    heard = [effect for effect in some if effect["name_in_files"] in HEARD]
    seen = [effect for effect in some if effect not in heard]
    for effect in heard:
        hear(program, folder, effect)
    shots = dict(zip((effect["id"] for effect in seen + heard), [
        *(snapshots(program, folder, group, effect_lines(seen), len(seen)) if seen else []),
        *(snapshots(program, folder, group + "-heard", sound_lines(heard), len(heard)) if heard else [])]))
    return [shots[effect["id"]] for effect in some]


def snapshots(program, folder, name, body, count):
    """PNGs from the middles of `count` parts of a draft."""
    script = write_script(folder, name, body)
    subprocess.run([program, "snapshots", script, "-n", str(count), "-o", os.path.join(folder, name)], check=True,
                   stdout=subprocess.DEVNULL)
    shots = sorted(glob.glob(os.path.join(folder, name, "*.png")))
    if len(shots) != count:
        sys.exit(f"{len(shots)} snapshots of {count} {name}")
    return shots


def shown_values(name):
    """The values that a filter is shown with."""
    return HEARD[name][2] if name in HEARD else SHOWN[name][1]


def settings(folder, effect):
    """What the effect is measured with beside its defaults, for effect_cost."""
    name = effect["name_in_files"]
    if name in ANALYSED:
        clip, raw = os.path.join(folder, ANALYSED[name]), os.path.join(folder, name + ".yuv")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", clip, "-frames:v", "8", "-vf", "scale=1920:1080:out_color_matrix=bt709,format=yuv420p",
                        "-f", "rawvideo", raw], check=True)
        return ["@" + raw]
    if name.startswith("libavfilter"):
        return ["graph=" + re.search(r'graph = "(.*)"', shown_values(name))[1]]
    # Sources need something to draw, and with its defaults a transform passes the picture on.
    return [f"media={folder}/song.m4a"] if name in MADE else ["zoom=1.1", "angle=3"] if name == "transform" else []


def known_costs():
    """The milliseconds that the pages have, by id and format."""
    known = {}
    for group, (_, formats) in TABLES.items():
        with open(document(group)) as file:
            text = file.read()
        for id, columns in re.findall(r"^\| \[.*\]\(.*\) \| `(\S+)` \| (.*) \|$", text.split(f"effects.py: {group} ")[1], re.M):
            known[id] = {name: float(said) for name, said in zip(formats, columns.split(" | ")) if said.strip()}
    return known


def costs(folder, libraries, effect):
    """Milliseconds by format."""
    values = settings(folder, effect)
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
    values = shown_values(name)
    if effect.get("keyed"):
        return f'draft:add_audio("music.m4a", {{ effects = {{ {{ "{effect["id"]}", {{ {values} }} }} }} }})'
    return f'draft:add_effect("{effect["id"]}", {{ {values} }})' if values else f'draft:add_effect("{effect["id"]}")'


# The page of each group, in docs/reference.
PAGES = {"effects": "picture-effects", "transitions": "transitions", "sources": "sources", "chains": "libavfilter",
         "sounds": "sound-effects", "analysers": "analysers"}

# Of each group: what its table calls an effect, and the formats whose cost it has.
TABLES = {
    "effects": ("effect", {"yuv420p8": "4:2:0, ms", "rgba8": "RGBA, ms"}),
    "transitions": ("transition", {"yuv420p8": "4:2:0, ms", "rgba8": "RGBA, ms"}),
    "sources": ("source", {"rgba8": "ms"}),
    "chains": ("effect", {"yuv420p8": "4:2:0, ms", "rgba8": "RGBA, ms", "pcmf32_planar": "a second of sound, ms"}),
    "sounds": ("effect", {"pcmf32_planar": "ms"}),
    "analysers": ("analyser", {"yuv420p8": "ms"}),
}


def reference(group, some, cost):
    title, formats = TABLES[group]
    lines = [f"| {title} | id | {' | '.join(formats.values())} |", "| --- | --- |" + " --- |" * len(formats)]
    for effect in some:
        spent = cost[effect["id"]]
        columns = " | ".join(f"{spent[name]:.1f}" if name in spent else "" for name in formats)
        lines.append(f"| [{effect['name']}](#{effect['name'].lower().replace(',', '').replace(' ', '-')}) | `{effect['id']}` | {columns} |")
    # What analysers find is told by hand.
    for effect in some if group != "analysers" else []:
        lines += ["", f"## {effect['name']}", "", effect["help"], "", f"![{effect['name']}](../effects/{effect['name_in_files']}.jpg)", ""]
        lines += ["```lua", example(effect), "```", "", "| parameter | values | default | |", "| --- | --- | --- | --- |",
                  *map(parameter, effect["parameters"])]
    return "\n".join(lines) + "\n"


def replace(group, text):
    start, end = (f"<!-- effects.py: {group} {side} -->" for side in ("begin", "end"))
    with open(document(group)) as file:
        before, rest = file.read().split(start)
    with open(document(group), "w") as file:
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
    parser.add_argument("--write", action="store_true", help="write docs/reference/ and docs/effects/")
    parser.add_argument("--keep-costs", action="store_true", help="measure only what has no cost in docs/reference/ yet")
    parser.add_argument("--check", action="store_true", help="only tell which shipped effects have no picture")
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES), help="these groups alone")
    options = parser.parse_args()
    libraries = options.libraries or os.path.dirname(options.program)
    found = effects()
    if options.check:
        sys.exit("\n".join(without_picture(found)) or 0)
    kept = known_costs() if options.keep_costs else {}
    with tempfile.TemporaryDirectory(prefix="cutroom-effects-") as folder:
        subprocess.run(["cc", "-std=gnu11", "-O2", "-I", f"{ROOT}/Sources/PluginABI/include", "-o",
                        os.path.join(folder, "effect_cost"), f"{ROOT}/Benchmarks/effect_cost.c", "-ldl"], check=True)
        pictures(folder, options.media)
        sounds(folder)
        for group, some in found.items():
            if group not in options.only:
                continue
            shots = shots_of(options.program, folder, group, some)
            text = reference(group, some, {effect["id"]: kept.get(effect["id"]) or costs(folder, libraries, effect) for effect in some})
            if options.write:
                put(shots, some)
                replace(group, text)
            else:
                print(text)
    if options.write:
        sys.exit("\n".join(without_picture(found)) or 0)


if __name__ == "__main__":
    main()
