-- cutroom render reverse.lua -o reverse.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", { range = { 1, 3 }, reverse = true })
return draft
