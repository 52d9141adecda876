-- cutroom render first_video.lua -o first_video.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip("beach.mp4", { range = { 0, 3 } })
draft:add_clip("city.mp4", { range = { 1, 3 }, transition = { "dissolve", 0.5 } })
draft:add_image("photo3.jpg", { duration = 2, mode = "fill", transition = { "wipe_left", 0.5 } })
draft:add_audio("song.m4a", { range = { 0, 7 }, volume = 0.5, fade_out = 1 })
draft:add_effect("org.cutroom.vignette", { strength = 0.5 })
draft:add_title("Hello", { size = 96, range = { 0.5, 2 }, enter = { "pop", 0.4 } })
return draft
