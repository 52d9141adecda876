-- cutroom render timelapse.lua -o timelapse.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 640, 360 }, fps = 12 }
for i = 1, 36 do
  draft:add_image(("timelapse/%04d.jpg"):format(i), { duration = 1 / 12 })
end
return draft
