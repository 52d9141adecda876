-- cutroom render loudness.lua -o loudness.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("interview.mp4", {
  loudness = -14,      -- LUFS
  true_peak = -1.5,    -- dBTP
})
draft:add_audio("song.m4a", { volume = 0.3, range = { 0, 6 }, fade_out = 1 })
return draft
