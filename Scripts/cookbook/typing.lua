-- cutroom render typing.lua -o typing.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("city.mp4", { time_range = { 0, 4 } })
draft:add_title("Chapter one:\nthe city at night", {
  size = 48, align = "left", position = { 60, 120 }, shadow_blur = 8,
  range = { 0.5, 3.5 }, enter = { "type", 2 },   -- fully typed 2 s after the title starts
})
return draft
