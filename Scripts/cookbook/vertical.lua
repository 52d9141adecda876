-- cutroom render vertical.lua -o vertical.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 360, 640 }, fps = 30 }
draft:add_clip("beach.mp4", { range = { 0, 2 }, background = "blur" })
draft:add_clip("beach.mp4", { range = { 2, 2 }, mode = "fill", focus = { 0.7, 0.5 } })
return draft
