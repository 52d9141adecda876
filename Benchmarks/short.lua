-- The "short" workload: ten 3 s pieces of three 1080p files with dissolves, a look, a sticker, a
-- title and music; 25.5 s.
local cutroom = require "cutroom"
local params = cutroom.params {
  media = { type = "path", help = "the folder that short.py has filled" },
  title = { type = "string", default = "Hello Cutroom" },
  insert = { type = "number", default = 0, help = "seconds of c.mp4 that are put before everything; the rest moves with the picture" },
  stays = { type = "boolean", default = false, help = "the title and the music do not move with what is inserted" },
  lossless = { type = "boolean", default = false },
}
local function file(name) return params.media .. "/" .. name end

local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
draft.export = {
  video = params.lossless and { quality = 0, preset = "ultrafast" } or { quality = 23, preset = "veryfast" },
  audio = { bit_rate = 128000 },
}
local start = params.stays and 0 or params.insert
if params.insert > 0 then draft:add_clip(file "c.mp4", { range = { 15, params.insert } }) end
local offsets = { 0, 0, 0, 4, 4, 4, 8, 8, 8, 12 }
for i, offset in ipairs(offsets) do
  local name = ({ "a.mp4", "b.mp4", "c.mp4" })[(i - 1) % 3 + 1]
  draft:add_clip(file(name), { range = { offset, 3 }, transition = i > 1 and { "dissolve", 0.5 } or nil })
end
draft:add_audio(file "music.m4a", { at = start, range = { 0, 25.5 }, volume = 0.4 })
draft:add_effect("lut", { image = file "look.cube" })
draft:add_effect("sticker", { image = file "sticker.png", rect = { 1080, 40, 160, 160 }, range = { params.insert + 1, 19 } })
draft:add_title(params.title, { size = 64, position = { "center", 600 }, range = { start, 3 } })
return draft
