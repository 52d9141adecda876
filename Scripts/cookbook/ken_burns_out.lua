-- cutroom render ken_burns_out.lua -o ken_burns_out.mp4
local cutroom = require "cutroom"
local near, far = { 0.1, 0.5, 0.4, 0.4 }, { 0, 0, 1, 1 }
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
for i = 1, 3 do
  draft:add_image("photo" .. i .. ".jpg", {
    duration = 2, mode = "fill", crop = { { 0, near, "ease_in_out" }, { 2, far } },
    transition = i > 1 and { "dissolve", 0.5 } or nil,
  })
end
return draft
