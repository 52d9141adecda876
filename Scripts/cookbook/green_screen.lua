-- cutroom render green_screen.lua -o green_screen.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("beach.mp4", { time_range = { 0, 4 } })
draft:add_layer("presenter.mp4", {
  width = "80%", position = { "30%", "bottom" },
  effects = { { "org.cutroom.chroma_key" } },   -- finds the colour of the screen by itself
})
return draft
