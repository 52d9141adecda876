-- cutroom render ken_burns_in.lua -o ken_burns_in.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_image("photo1.jpg", {
  duration = 4, mode = "fill",
  crop = {                                   -- time, { left, top, width, height }
    { 0, { 0, 0, 1, 1 }, "ease_in_out" }, { 4, { 0.5, 0.05, 0.45, 0.45 } },
  },
})
return draft
