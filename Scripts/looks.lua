-- A look on one clip, on a stretch of the timeline, and one that comes slowly; and a vignette over
-- all of it, whatever is added later.
local cutroom = require "cutroom"
local params = cutroom.params {
  media = { type = "path", default = "media", help = "the folder that media.sh has filled" },
  intensity = { type = "number", default = 1, min = 0, max = 1, help = "how much of the look the first clip gets" },
}
local look = params.media .. "/look.png"

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip(params.media .. "/a.mp4", { range = { 0, 2 }, effects = { { "lut", { image = look, intensity = params.intensity } } } })
draft:add_image(params.media .. "/photo.png", { duration = 4, mode = "fill" })
draft:add_effect("org.cutroom.vignette", { strength = 0.3, pass_through = true })
draft:add_effect("lut", { image = look, range = { 2.5, 1 } })
draft:add_effect("lut", { image = look, range = { 4, 2 }, intensity = { { 0, 0 }, { 2, 1, "linear" } } })
return draft
