#!/usr/bin/env python3
"""The "short" workload in MoviePy 2 (pip install moviepy).   usage: short_moviepy.py MEDIA OUT.mp4
"""
import subprocess
import sys

import numpy
from moviepy import (AudioFileClip, CompositeAudioClip, CompositeVideoClip, ImageClip, TextClip, VideoFileClip, vfx)
from workload import OFFSETS, SOURCES

media, output = sys.argv[1:]
table = (numpy.loadtxt(f"{media}/look.cube", skiprows=1).reshape(64, 64, 64, 3) * 255 + 0.5).astype("uint8")
font = subprocess.run(["fc-match", "-f", "%{file}", "Sans"], check=True, capture_output=True, text=True).stdout


def look(picture):
    index = picture >> 2
    return table[index[..., 2], index[..., 1], index[..., 0]]


clips = []
for i, (name, offset) in enumerate(zip(SOURCES, OFFSETS)):
    clip = VideoFileClip(f"{media}/{name}.mp4", target_resolution=(1280, 720))
    clip = clip.subclipped(offset, offset + 3).with_start(i * 2.5)
    clips.append(clip.with_effects([vfx.CrossFadeIn(0.5)]) if i else clip)
base = CompositeVideoClip(clips, size=(1280, 720)).image_transform(look)
sticker = ImageClip(f"{media}/sticker.png").resized((160, 160)).with_position((1080, 40)).with_start(1).with_duration(19)
title = TextClip(text="Hello Cutroom", font=font, font_size=64, color="white").with_position(("center", 600)).with_duration(3)
music = AudioFileClip(f"{media}/music.m4a").subclipped(0, 25.5).with_volume_scaled(0.4)
video = CompositeVideoClip([base, sticker, title], size=(1280, 720)).with_duration(25.5)
video = video.with_audio(CompositeAudioClip([base.audio, music]))
video.write_videofile(output, fps=30, codec="libx264", preset="veryfast", ffmpeg_params=["-crf", "23", "-g", "60"],
                      audio_codec="aac", logger=None, threads=2)
