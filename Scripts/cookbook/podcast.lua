-- cutroom render podcast.lua -o podcast.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 480, 480 }, fps = 30, background = "#1d3557" }
draft:add_audio("voice.m4a")
draft:add_effect("org.cutroom.waveform", {
  media = "voice.m4a", rect = { 40, 220, 400, 140 }, color = "#f4a261", bars = 40, gain = 2,
})
draft:add_title("Episode 1:\nsailing", { size = 44, position = { "center", 80 } })
return draft
