-- The "long" workload: pieces of 5 s, 640×360, cut hard: 36 of them are 3 minutes, 360 are 30. Each
-- begins elsewhere, so that none is rendered for another.
local cutroom = require "cutroom"
local params = cutroom.params {
  media = { type = "path", help = "the folder that workload.py has filled" },
  pieces = { type = "integer", default = 36 },
}
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft.export = { video = { quality = 23, preset = "veryfast" }, audio = { bit_rate = 128000 } }
for i = 0, params.pieces - 1 do
  local name = ({ "a.mp4", "b.mp4", "c.mp4" })[i % 3 + 1]
  draft:add_clip(params.media .. "/" .. name, { range = { i * 7 % 15 + i / 1000, 5 } })
end
return draft
