-- Credits that roll: the text comes in from below and goes out at the top, at one speed.
local cutroom, media = require "cutroom", require("cutroom").params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft, roll = cutroom.draft(media .. "/b.mp4"), { "slide_up", 4, { easing = "linear" } }
draft:add_title("<big><b>Night</b></big>\n\n<i>Directed by</i>\nMoon\n\n<i>Music</i>\nWind\n\n<i>With</i>\nHills\nStars\nClouds\nTrees\n\n<i>Catering</i>\nOwl\n\n<i>Thanks to</i>\nThe dark", { markup = true, size = 44, enter = roll, leave = roll })
return draft
