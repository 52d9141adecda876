-- Titles in several scripts: wrapped, right to left, Chinese and Japanese, emoji; aligned, outlined
-- and on a background.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local titles = {
  { "A long line is wrapped at the width that the title is given, and each line is centred.", { size = 36, width = 420 } },
  { "مرحبا بالعالم — من اليمين إلى اليسار", { size = 48, align = "right" } },
  { "שלום עולם", { size = 64 } },
  { "你好，世界。こんにちは、世界。안녕하세요", { size = 40 } },
  { "Emoji: 🎬 🌄 🌙 ✂️", { size = 48 } },
  { "Left, with an outline", { size = 48, align = "left", position = { 40, 40 }, outline_color = "#e4572e", outline_width = 3 } },
  { "Two lines\non a background", { size = 40, color = "#1b3a6b", background = "#ffffffc0", position = { "center", 220 } } },
  { "Serif Bold Italic", { size = 56, font = "Serif Bold Italic", color = "#f2c14e" } },
}
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_image(params.media .. "/photo.jpg", { duration = #titles, mode = "fill" })
for i, title in ipairs(titles) do
  local options = title[2]
  options.range = { i - 1, 1 }
  draft:add_title(title[1], options)
end
return draft
