#!/usr/bin/env python3
"""Draws the pictures of the cookbook's recipes with Cutroom, and copies their text into
docs/cookbook.

usage: cookbook.py [RECIPE…]
       Without names: all of Scripts/cookbook, and the moving picture of the README.

The first line of a recipe is the command that renders it. Its picture is a strip of moments. If
only the sound matters it is the waveform. `$CUTROOM` is the program (.build/release/cutroom).
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPES = ROOT / "Scripts/cookbook"
PAGES = ROOT / "docs/cookbook"
CUTROOM = os.path.abspath(os.environ.get("CUTROOM", ROOT / ".build/release/cutroom"))

# The number of moments if it is not 4.
MOMENTS = {
    "timelapse": 6, "boomerang": 6, "freeze_text": 6, "credits": 5, "typing": 5, "vertical": 6,
}
# The recipes that are shown by their sound, each with the files that it is compared with.
SOUNDS = {
    "music_crossfade": [], "ducking": [], "loudness": ["interview.mp4"], "j_cut": [],
    "replace_sound": ["city.mp4"],
}

BLOCK = re.compile(r"(<!-- recipe: (\w+) -->\n).*?(<!-- end of recipe -->)", re.S)


def run(arguments, folder):
    command = [CUTROOM, *map(str, arguments), "--workers", "1"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode or "warning" in result.stderr:
        sys.exit(f"cutroom {shlex.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def strip(name, files, body, folder):
    """Draws one frame of a draft without clips into a JPEG file.

    `body` is Lua that defines `width`, `height` and `add(i, file, draft)`, which is called for each
    file.
    """
    (folder / "strip.lua").write_text(f"""local cutroom = require "cutroom"
local files = {{ {", ".join(f'"{file}"' for file in files)} }}
{body}
local draft = cutroom.draft {{
  size = {{ width, height }}, fps = 30, duration = 1 / 30, background = "white",
}}
for i, file in ipairs(files) do add(i, file, draft) end
draft.export = {{ video = {{ quality = 5 }} }}
return draft""")
    run(["render", "strip.lua", "-o", "strip-%d.jpg", "--overwrite"], folder)
    shutil.move(folder / "strip-1.jpg", PAGES / f"images/{name}.jpg")


# Moments of a recipe beside each other.
MOMENT_STRIP = """local first = cutroom.probe(files[1])
local step = 960 // #files // 2 * 2
local width, height = step * #files, (step - 4) * first.height // first.width // 2 * 2
local function add(i, file, draft)
  draft:add_layer(file, {
    size = { step - 4, height }, position = { (i - 1) * step + 2, 0 }, anchor = "top_left",
  })
end"""

# The whole sound of files below each other.
SOUND_STRIP = """local width, height = 960, 124 * #files - 4
local function add(i, file, draft)
  draft:add_effect("org.cutroom.waveform", {
    media = file, window = cutroom.probe(file).duration, position = 0, bars = 240, roundness = 0,
    rect = { 0, 124 * (i - 1), width, 120 }, color = "#1d3557", background = "#eef2f5",
  })
end"""

# A picture as it is.
WHOLE = """local first = cutroom.probe(files[1])
local width, height = first.width, first.height
local function add(i, file, draft) draft:add_layer(file) end"""


def draw(name, folder):
    line = (RECIPES / f"{name}.lua").read_text().splitlines()[0]
    command = shlex.split(line.removeprefix("-- cutroom "))
    output = command[-1]
    if output.endswith(".gif"):
        run(command + ["--overwrite"], folder)
        shutil.copy(folder / output, PAGES / f"images/{name}.gif")
    elif output.endswith(".png"):
        run(command + ["--overwrite"], folder)
        strip(name, [output], WHOLE, folder)
    elif name in SOUNDS:
        run(command + ["--overwrite"], folder)
        strip(name, SOUNDS[name] + [output], SOUND_STRIP, folder)
    else:
        shutil.rmtree(folder / "moments", ignore_errors=True)
        run(["snapshots", f"{name}.lua", "-n", MOMENTS.get(name, 4), "-o", "moments"], folder)
        strip(name, sorted((folder / "moments").iterdir()), MOMENT_STRIP, folder)


def copy_text(page):
    def block(match):
        opening, name, end = match.groups()
        picture = next((PAGES / "images").glob(f"{name}.*"), None)
        if picture is None:
            sys.exit(f"{page}: the recipe ‘{name}’ has no picture")
        code = (RECIPES / f"{name}.lua").read_text()
        title = name.replace("_", " ")
        return f"{opening}\n![{title}](images/{picture.name})\n\n```lua\n{code}```\n\n{end}"
    page.write_text(BLOCK.sub(block, page.read_text()))


def main():
    names = sys.argv[1:] or sorted(path.stem for path in RECIPES.glob("*.lua"))
    (PAGES / "images").mkdir(parents=True, exist_ok=True)
    folder = ROOT / ".build/cookbook"
    folder.mkdir(parents=True, exist_ok=True)
    media, made = RECIPES / "media.sh", folder / "media"
    if not made.exists() or made.stat().st_mtime < media.stat().st_mtime:
        subprocess.run([media, folder], check=True)
        made.touch()
    for name in names:
        shutil.copy(RECIPES / f"{name}.lua", folder)
        draw(name, folder)
        print(name, flush=True)
    if not sys.argv[1:]:
        shutil.copy(ROOT / "tools/showreel.lua", folder)
        picture = ROOT / "docs/images/showreel.gif"
        run(["render", "showreel.lua", "-o", picture, "--overwrite"], folder)
    for page in sorted(PAGES.glob("*.md")):
        copy_text(page)


main()
