-- Sound: fades, a ramp under a voice, a loop, a clip's own volume, and speed with and without its
-- pitch.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip(params.media .. "/a.mp4", { range = { 0, 4 }, fade_in = 1, volume = 0.8 })
draft:add_clip(params.media .. "/b.mp4", { range = { 0, 4 }, volume = { { 0, 1 }, { 2, 0.1 }, { 4, 1 } }, transition = { "dissolve", 1 } })

-- Music under everything, a bar of it in a loop; it steps back while the second voice speaks.
draft:add_audio(params.media .. "/music.m4a", {
  id = "music", range = { 0, 2 }, loop = true, fade_in = 0.5, fade_out = 1, volume = { { 0, 0.6 }, { 3.5, 0.6 }, { 4, 0.2 }, { 6, 0.2 } },
})
-- The same second of sound: as it is, faster with its pitch kept, faster and higher.
draft:add_audio(params.media .. "/c.mp4", { at = 0.5, range = { 0, 1 }, volume = 0.3 })
draft:add_audio(params.media .. "/c.mp4", { at = 2, range = { 0, 1 }, speed = 2, volume = 0.3 })
draft:add_audio(params.media .. "/c.mp4", { at = 3, range = { 0, 1 }, speed = 2, keep_pitch = false, volume = 0.3 })
return draft
