-- cutroom render pixelate.lua -o pixelate.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("beach.mp4", { time_range = { 0, 4 } })
draft:add_effect("org.cutroom.pixelate", {
  tile = 16, size = { 112, 96 },
  position = { { 0, { -28, 136 } }, { 4, { 332, 136 } } },   -- follows the boat
})
return draft
