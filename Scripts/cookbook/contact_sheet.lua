-- cutroom cover contact_sheet.lua --at 0 -o contact_sheet.png
local cutroom = require "cutroom"
local columns, rows, width, height = 4, 3, 160, 90
local step = cutroom.probe("beach.mp4").duration / (columns * rows)
local draft = cutroom.draft { size = { columns * width, rows * height }, fps = 30 }
for i = 0, columns * rows - 1 do
  draft:add_layer("beach.mp4", {
    range = { (i + 0.5) * step, 0.1 }, volume = 0,
    size = { width - 4, height - 4 }, anchor = "top_left",
    position = { 2 + i % columns * width, 2 + i // columns * height },
  })
end
return draft
