-- cutroom render split_screen.lua -o split_screen.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
for side, file in pairs { left = "beach.mp4", right = "city.mp4" } do
  draft:add_layer(file, {
    range = { 0, 4 }, size = { "50%", "100%" }, mode = "fill", position = side, volume = 0.5,
  })
end
draft:add_layer { color = "white", size = { 4, "100%" } }   -- the line between them
return draft
