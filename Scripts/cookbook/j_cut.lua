-- cutroom render j_cut.lua -o j_cut.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", { range = { 0, 3 }, volume = 0.3, fade_out = 0.5 })
draft:add_clip("interview.mp4", { range = { 3, 3 }, sound_lead = 1 })   -- 1 s before the picture
return draft
