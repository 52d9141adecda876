-- cutroom render circle.lua -o circle.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("city.mp4", { time_range = { 0, 4 } })
draft:add_layer("interview.mp4", {
  size = { 150, 150 }, mode = "fill", corner_radius = "50%",   -- a round square is a circle
  position = "bottom_right", margin = 20, shadow_blur = 16,
})
return draft
