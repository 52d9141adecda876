"""The "short" workload as others write it: one function for each program, from the sources' folder
and the output to the command line."""
import importlib.util
import os
import shutil
import sys

from workload import OFFSETS, SOURCES

HERE = os.path.dirname(os.path.abspath(__file__))


def ffmpeg(media, output):
    """One hand-written command."""
    command, graph = ["ffmpeg", "-v", "error", "-nostdin", "-y"], ""
    for i, (name, offset) in enumerate(zip(SOURCES, OFFSETS)):
        command += ["-ss", str(offset), "-t", "3", "-i", f"{media}/{name}.mp4"]
        graph += f"[{i}:v]scale=1280:720,setsar=1,fps=30,settb=1/30,format=yuv420p[v{i}];[{i}:a]aresample=48000[a{i}];"
    video, audio = "v0", "a0"
    for i in range(1, 10):
        graph += f"[{video}][v{i}]xfade=transition=fade:duration=0.5:offset={i * 2.5}[x{i}];"
        graph += f"[{audio}][a{i}]acrossfade=d=0.5[y{i}];"
        video, audio = f"x{i}", f"y{i}"
    graph += f"[{video}]lut3d={media}/look.cube,format=yuv420p[l];[10:v]scale=160:160[st];"
    graph += "[l][st]overlay=1080:40:enable='between(t,1,20)'[o];"
    graph += "[o]drawtext=text=Hello Cutroom:fontsize=64:fontcolor=white:x=(w-tw)/2:y=h-120:enable='lt(t,3)',format=yuv420p[vo];"
    graph += f"[11:a]atrim=0:25.5,volume=0.4[m];[{audio}][m]amix=inputs=2:normalize=0:duration=first[ao]"
    return command + ["-i", f"{media}/sticker.png", "-i", f"{media}/music.m4a", "-filter_complex", graph, "-map", "[vo]",
                      "-map", "[ao]", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "60", "-c:a", "aac",
                      "-b:a", "128k", "-t", "25.5", output]


def melt(media, output):
    """MLT's command line."""
    command = ["melt", "-silent", "-profile", "atsc_720p_30"]
    for i, (name, offset) in enumerate(zip(SOURCES, OFFSETS)):
        command += [f"{media}/{name}.mp4", f"in={offset * 30}", f"out={offset * 30 + 89}"]
        command += ["-mix", "15", "-mixer", "luma", "-mixer", "mix:-1"] if i else []
    return command + [
        "-filter", "avfilter.lut3d", f"av.file={media}/look.cube",
        "-track", "-blank", "29", f"{media}/sticker.png", "in=0", "out=569",
        "-transition", "composite", "a_track=0", "b_track=1", "in=30", "out=599", "geometry=1080/40:160x160",
        "-track", f"{media}/music.m4a", "in=0", "out=764", "-transition", "mix", "a_track=0", "b_track=2", "always_active=1",
        "sum=1", "-filter", "dynamictext:Hello Cutroom", "in=0", "out=89", "size=64",
        "-consumer", f"avformat:{output}", "vcodec=libx264", "preset=veryfast", "crf=23", "g=60", "acodec=aac", "ab=128k",
        "real_time=-2", "threads=0"]


def moviepy(media, output):
    return [sys.executable, os.path.join(HERE, "short_moviepy.py"), media, output]


def installed():
    """Those besides ffmpeg that are installed."""
    found = {}
    if shutil.which("melt"):
        found["melt"] = melt
    if importlib.util.find_spec("moviepy") and importlib.util.find_spec("numpy"):
        found["moviepy"] = moviepy
    return found
