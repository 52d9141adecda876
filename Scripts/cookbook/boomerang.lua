-- cutroom render boomerang.lua -o boomerang.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", { range = { 1, 2 }, ping_pong = true, loop = 2, volume = 0 })
return draft
