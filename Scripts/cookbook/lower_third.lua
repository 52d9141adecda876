-- cutroom render lower_third.lua -o lower_third.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("interview.mp4", { time_range = { 0, 4 } })
draft:add_title("Alex Doe", {
  range = { 0.5, 3 }, size = 34, font = "Sans Bold", position = "bottom_left",
  margin = { 32, 70 }, background = "#e4572e", background_padding = { 16, 6 },
  enter = { "wipe_right", 0.4 }, leave = { "wipe_left", 0.4 },
})
draft:add_title("Skipper", {
  range = { 0.7, 2.8 }, size = 22, position = "bottom_left",
  margin = { 32, 32 }, background = "#1b3a6b", background_padding = { 16, 6 },
  enter = { "slide_right", 0.4 }, leave = { "fade", 0.3 },
})
return draft
