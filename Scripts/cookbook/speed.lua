-- cutroom render speed.lua -o speed.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft()
draft:add_clip("beach.mp4", { range = { 0, 3 }, speed = 2 })                        -- 1.5 s
draft:add_clip("beach.mp4", { range = { 3, 1 }, speed = 0.5, frames = "blend" })    -- 2 s
draft:add_clip("beach.mp4", { range = { 4, 2 }, duration = 1 })              -- fits into 1 s
return draft
