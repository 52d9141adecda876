-- cutroom render nested.lua -o nested.mp4
local cutroom = require "cutroom"
local card = cutroom.draft({ { "city.mp4", range = { 0, 4 } } }, { size = { 320, 180 } })
card:add_title("Meanwhile", { size = 36, position = "bottom", margin = 12 })
local draft = cutroom.draft { { "beach.mp4", range = { 0, 4 } } }
draft:add_layer(card, {
  width = "50%", corner_radius = 12, position = { "50%", "45%" },
  rotation = { { 0, -12, "ease_in_out" }, { 4, 12 } }, volume = 0.5,
})
return draft
