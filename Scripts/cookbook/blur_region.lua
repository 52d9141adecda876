-- cutroom render blur_region.lua -o blur_region.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("interview.mp4", { time_range = { 0, 3 } })
draft:add_layer("interview.mp4", {          -- the clip again, above itself
  volume = 0, crop = { 0.35, 0.2, 0.3, 0.25 }, width = "30%",
  position = { "35%", "20%" }, anchor = "top_left",
  effects = { { "org.cutroom.blur", { radius = 16 } } },
})
return draft
