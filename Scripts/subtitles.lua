-- Subtitles from a file, over the picture; as = "track" makes them a track of their own.
local cutroom, media = require "cutroom", require("cutroom").params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/a.mp4")
draft:add_subtitles(media .. "/talk.srt", { size = 40, outline_width = 2 })
return draft
