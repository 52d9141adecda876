-- The "layers" workload: 20 s of a 1080p file, a second one in a corner with its sound, a sticker,
-- a title and subtitles.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", help = "the folder that layers.py has filled" } }
local function file(name) return params.media .. "/" .. name end

local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
draft.export = { video = { quality = 23, preset = "veryfast" }, audio = { bit_rate = 128000 } }
draft:add_clip(file "a.mp4", { range = { 0, 20 } })
draft:add_layer(file "b.mp4", { range = { 0, 20 }, size = { 384, 216 }, position = { 872, 480 }, anchor = "top_left", volume = 0.5 })
draft:add_layer(file "sticker.png", { at = 1, duration = 18, size = { 160, 160 }, position = { 40, 40 }, anchor = "top_left" })
draft:add_title("Hello Cutroom", { size = 64, position = { "center", 60 }, range = { 0, 3 } })
draft:add_subtitles(file "talk.srt", { size = 40, outline_width = 2 })
return draft
