-- Chains of FFmpeg's filters as effects, and a clip behind a chroma key.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local function file(name) return params.media .. "/" .. name end

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }

-- The screen goes, and the other clip is seen behind; of it three seconds are left after the
-- offset, so it begins again.
draft:add_clip(file "screen.mp4", { range = { 0, 4 } })
draft:add_effect("org.cutroom.chroma_key", { color = "#28b446", similarity = 0.15, image = file "b.mp4", offset = 5, loop = true, range = { 0, 4 } })

-- Each frame by itself, with a value that follows the time; then one that remembers frames; then
-- both sounds.
draft:add_clip(file "a.mp4", { range = { 0, 4 }, effects = {
  { "org.cutroom.libavfilter_audio", { graph = "highpass=f=120,aecho=0.8:0.7:90:0.3" } },
} })
draft:add_effect("org.cutroom.libavfilter_pure", { graph = "hue=h='t*90',eq=contrast=1.1", range = { 4, 2 } })
draft:add_effect("org.cutroom.libavfilter", { graph = "lagfun=decay=0.92", range = { 6, 2 } })
return draft
