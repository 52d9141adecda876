-- cutroom render progress_bar.lua -o progress_bar.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("beach.mp4", { time_range = { 0, 4 } })
draft:add_layer {
  color = "#ff3b30", position = "bottom_left",
  size = { { 0, { 1, 8 } }, { 4, { "100%", 8 } } },
}
return draft
