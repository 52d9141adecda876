-- The shipped effects in a short clip: skin made smooth, a face covered, the beat of soul out and
-- shake, a glitch at the cut, an old film at the end.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local function file(name) return params.media .. "/" .. name end

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip(file "a.mp4", { range = { 0, 4 }, effects = { { "org.cutroom.sharpen", { amount = 0.6 } } } })
draft:add_clip(file "b.mp4", { range = { 0, 4 }, mode = "fill" })

-- A mosaic that follows something from left to right, and a picture that comes out of a blur.
draft:add_effect("org.cutroom.blur", { range = { 0, 0.8 }, radius = { { 0, 24, "ease_out" }, { 0.8, 0 } } })
draft:add_effect("org.cutroom.pixelate", { range = { 0.5, 1.5 }, tile = 14, size = { 140, 140 }, position = { { 0, { 80,
    60 } }, { 1.5, { 380, 90 } } } })
draft:add_effect("org.cutroom.beauty", { range = { 0, 2 }, smooth = 0.7, whiten = 0.3 })

-- On the beat: a ghost, and a shake that dies away.
draft:add_effect("org.cutroom.soul_out", { range = { 1, 1.4 }, period = 0.7 })
draft:add_effect("org.cutroom.shake", { range = { 2.4, 1 }, amplitude = { { 0, 24 }, { 1, 0 } }, rotation = { { 0, 2 }, { 1,
    0 } } })

-- Around the cut: a bad signal and one flash.
draft:add_effect("org.cutroom.glitch", { range = { 3.5, 1 }, shift = 60, split = 8 })
draft:add_effect("org.cutroom.flash", { range = { 4, 0.5 } })

draft:add_effect("org.cutroom.mirror", { range = { 4.6, 0.7 } })
draft:add_effect("org.cutroom.kaleidoscope", { range = { 5.3, 1 }, turn = function(t) return 60 * t end })
draft:add_effect("org.cutroom.old_film", { range = { 6.3, 1.7 } })
return draft
