-- A sticker that follows a face, and shows itself when the face smiles.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local clip = params.media .. "/face.mp4"

local draft = cutroom.draft(clip, { size = { 640, 360 }, fps = 30 })
local track = cutroom.analyse(clip, "org.cutroom.faces", { smile = true })
local face = cutroom.smooth(cutroom.follow(track, { "faces", "smiles" }), 0.1)
draft:add_effect("sticker", { image = params.media .. "/emoji.png",
  rect = cutroom.map(face, function(x, y, w, h) return { 640 * (x + 0.3 * w), 360 * (y - 0.5 * h), 640 * 0.4 * w, 360 * 0.4 * h } end),
  opacity = cutroom.map(face, function(_, _, _, _, smile) return math.max(0, math.min(1, 2 * smile - 0.5)) end) })
return draft
