-- cutroom render dissolve.lua -o dissolve.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", { range = { 0, 2 } })
draft:add_clip("city.mp4", { range = { 0, 2 }, transition = { "dissolve", 1 } })
draft:add_clip("interview.mp4", { range = { 0, 2 }, transition = { "xfade.circleopen", 1 } })
return draft
