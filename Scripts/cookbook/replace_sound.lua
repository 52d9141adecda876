-- cutroom render replace_sound.lua -o replace_sound.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { { "city.mp4", range = { 0, 4 }, volume = 0 } }
draft:add_audio("song.m4a", { range = { 1, 4 }, fade_in = 0.5, fade_out = 1 })
return draft
