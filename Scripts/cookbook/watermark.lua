-- cutroom render watermark.lua -o watermark.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("beach.mp4", { time_range = { 0, 3 } })
draft:add_layer("logo.png", { width = "12%", position = "top_right", margin = 16, opacity = 0.6 })
return draft
