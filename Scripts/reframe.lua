-- A wide video on a tall canvas, its own picture blurred behind it.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft({ { media .. "/a.mp4", range = { 0, 3 }, background = "blur" } }, { size = { 360, 640 } })
return draft
