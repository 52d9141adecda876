-- cutroom render freeze_text.lua -o freeze_text.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", {
  range = { 1, 3 }, freeze = { 1, 1.5 },   -- stops 1 s after the range's start, for 1.5 s
})
draft:add_title("The Orange Sail", {
  range = { 1, 1.5 }, size = 48, position = { "center", "80%" },
  background = "#1d3557d0", background_radius = 8, enter = { "pop", 0.3 },
})
return draft
