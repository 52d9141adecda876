-- An audiogram: a voice to look at, without a picture clip. The draft is as long as the voice.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local voice, music = params.media .. "/voice.m4a", params.media .. "/music.m4a"

local draft = cutroom.draft { size = { 720, 720 }, background = "#1d3557", loudness = -16 }
draft:add_audio(voice, { id = "voice" })
draft:add_audio(music, { volume = 0.5, loop = true, effects = { { "org.cutroom.ducking", { key = "voice" } } } })
draft:add_effect("org.cutroom.waveform", { media = voice, rect = { 60, 300, 600, 240 }, color = "#f1faee", window = 4 })
draft:add_title("Cutroom speaks", { size = 64, position = { "center", 140 } })
return draft
