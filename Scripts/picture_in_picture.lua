-- A second video in a corner, with its sound and round corners.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/a.mp4", { size = { 640, 360 }, time_range = { 0, 5 } })
draft:add_layer(media .. "/b.mp4", { at = 1, range = { 0, 3 }, size = { "32%" }, position = "bottom_right", margin = 20, corner_radius = 16, volume = 0.5,
                                     enter = { "slide_left", 0.4 }, leave = { "fade", 0.3 } })
return draft
