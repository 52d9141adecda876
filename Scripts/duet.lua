-- Two videos side by side; both are heard.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft({ { media .. "/a.mp4", range = { 0, 3 }, position = "left", size = { "50%", "100%" }, mode = "fill" } }, { size = { 640, 640 } })
draft:add_layer(media .. "/c.mp4", { range = { 0, 3 }, position = "right", size = { "50%", "100%" }, mode = "fill", volume = 0.6 })
return draft
