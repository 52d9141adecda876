-- cutroom render speed_ramp.lua -o speed_ramp.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", {
  speed = { { 1, 4, "ease_in_out" }, { 3, 0.5 } },   -- from 4× at 1 s to half speed at 3 s
  frames = "blend",                                  -- mixes neighbouring frames in slow motion
})
return draft
