-- Ten lines: two clips with a dissolve, a photo, music and a title.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
draft:add_clip(params.media .. "/a.mp4", { range = { 0, 3 } })
draft:add_clip(params.media .. "/b.mp4", { range = { 1, 3 }, transition = { "dissolve", 0.5 } })
draft:add_image(params.media .. "/photo.jpg", { duration = 2, mode = "fill", transition = { "wipe_left", 0.5 } })
draft:add_audio(params.media .. "/music.m4a", { range = { 0, 7 }, volume = 0.5, fade_out = 1 })
draft:add_effect("org.cutroom.vignette", { strength = 0.5 })
draft:add_title("Hello", { size = 96, range = { 0.5, 2 } })
return draft
