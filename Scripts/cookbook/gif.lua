-- cutroom render gif.lua -o gif.gif
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 320, 180 }, fps = 10 }
draft:add_clip("beach.mp4", { range = { 1, 2 }, speed = 1.5 })
return draft
