-- A draft of its own, with two clips and a title, in a frame that turns.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local card = cutroom.draft({ { media .. "/b.mp4", range = { 0, 2 } }, { media .. "/c.mp4", range = { 0, 1.5 }, mode = "fill" } }, { size = { 480, 270 }, fps = 25 })
card:add_title("Inside", { size = 44, position = "bottom", margin = 16 })
local draft = cutroom.draft({ { media .. "/a.mp4", range = { 0, 4 } } }, { size = { 640, 360 } })
draft:add_layer(card, { at = 0.5, size = { "55%" }, corner_radius = 20, rotation = { { 0, -14, "ease_in_out" }, { 3.5, 14 } } })
return draft
