-- cutroom render music_crossfade.lua -o music_crossfade.m4a
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_audio("song.m4a", { range = { 0, 6 }, fade_out = 2 })
draft:add_audio("other_song.m4a", { at = 4, range = { 0, 6 }, fade_in = 2 })
return draft
