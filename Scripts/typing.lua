-- A title that types itself.
local cutroom, media = require "cutroom", require("cutroom").params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft(media .. "/a.mp4")
draft:add_title("This title types itself.\nمرحبا, नमस्ते, こんにちは 🎬", { size = 56, shadow_blur = 8, range = { 0, 5 }, enter = { "type", 2 }, leave = { "fade", 0.5 } })
return draft
