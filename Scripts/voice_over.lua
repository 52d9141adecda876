-- A voice over a picture: music makes room for it, and the whole is as loud as the web wants it,
-- −14 LUFS.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local draft = cutroom.draft({ { params.media .. "/a.mp4", volume = 0.15 } }, { loudness = -14 })
draft:add_audio(params.media .. "/voice.m4a", { id = "voice", at = 1 })
draft:add_audio(params.media .. "/music.m4a", { loop = true, fade_out = 1, effects = { { "org.cutroom.ducking", { key = "voice" } } } })
return draft
