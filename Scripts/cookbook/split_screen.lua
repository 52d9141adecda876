-- cutroom render split_screen.lua -o split_screen.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
for _, half in ipairs { { "beach.mp4", "left" }, { "city.mp4", "right" } } do
  draft:add_layer(half[1], {
    range = { 0, 4 }, size = { "50%", "100%" }, mode = "fill", position = half[2], volume = 0.5,
  })
end
draft:add_layer { color = "white", size = { 4, "100%" } }   -- the line between them
return draft
