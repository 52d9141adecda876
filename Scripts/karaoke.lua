-- Karaoke: each word is lit while it is sung. The line at the top brings its times along, those at
-- the bottom are a file's.
local cutroom, media = require "cutroom", require("cutroom").params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/b.mp4")
draft:add_title("Row, row, row your boat", {
  range = { 0, 4 }, size = 56, position = "top", margin = 60, outline_width = 3, highlight = "gold", enter = { "pop", 0.4, { by = "word", stagger = 0.1 } },
  words = { { 0.6, 1.1 }, { 1.1, 1.6 }, { 1.6, 2 }, { 2, 2.4 }, { 2.4, 3.4 } },
})
draft:add_subtitles(media .. "/song.vtt", { highlight = "gold" })
return draft
