-- Six photos, over which the camera moves slowly, with dissolves between them.
local cutroom = require "cutroom"
local media = cutroom.params({ media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }).media
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
for i = 1, 6 do
  local near, far = { 0.1, 0.05 + 0.02 * i, 0.7, 0.7 }, { 0, 0, 1, 1 }
  local from, to = i % 2 == 1 and far or near, i % 2 == 1 and near or far
  draft:add_image(media .. "/photo" .. i .. ".jpg", { duration = 2, mode = "fill", transition = i > 1 and { "dissolve", 0.5 } or nil, crop = { { 0, from, "ease_in_out" }, { 2, to } } })
end
return draft
