-- cutroom render fade_black.lua -o fade_black.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", {
  range = { 0, 4 },
  opacity = { { 0, 0 }, { 1, 1 }, { 3, 1 }, { 4, 0 } },   -- time, value
  fade_in = 1, fade_out = 1,                              -- the sound
})
return draft
