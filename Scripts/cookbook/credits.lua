-- cutroom render credits.lua -o credits.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 30, duration = 4 }
draft:add_title("Directed by\nAlex Doe\n\nMusic\nA Minor Trio\n\nBoat\nThe Orange Sail", {
  size = 32,
  enter = { "slide_up", 2, { easing = "linear" } },
  leave = { "slide_up", 2, { easing = "linear" } },
})
return draft
