-- A lower third: a name and what it stands for, each in a box that comes and goes.
local cutroom, media = require "cutroom", require("cutroom").params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/a.mp4")
draft:add_title("Ada Lovelace", { range = { 0.5, 5 }, font = "Sans Bold", size = 52, position = "bottom_left", margin = { 60, 118 },
  background = "#e4572e", background_padding = { 28, 10 }, enter = { "wipe_right", 0.5 }, leave = { "wipe_left", 0.4 } })
draft:add_title("wrote the first programme", { range = { 0.8, 4.6 }, size = 30, position = "bottom_left", margin = { 60, 60 },
  background = "#1b3a6be0", background_padding = { 28, 8 }, enter = { "slide_right", 0.5 }, leave = { "slide_left", 0.4 } })
return draft
