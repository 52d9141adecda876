-- Four videos in four corners; there is no clip below them.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
local corners = { a = "top_left", b = "top_right", c = "bottom_left", shaky = "bottom_right" }
for name, corner in pairs(corners) do
  draft:add_layer(media .. "/" .. name .. ".mp4", { range = { 0, 3 }, size = { "50%", "50%" }, mode = "fill", position = corner, volume = 0.3 })
end
return draft
