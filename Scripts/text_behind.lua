-- A text between somebody and the landscape: the video again over the text, where its matte is
-- light.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/face.mp4", { size = { 640, 360 } })
draft:add_title("BEHIND", { size = 150, range = { 0, 3.5 }, enter = { "slide_left", 0.6 }, leave = { "slide_left", 0.6 } })
draft:add_layer(media .. "/face.mp4", { mask = { media .. "/face_matte.mp4", "luma" } })
return draft
