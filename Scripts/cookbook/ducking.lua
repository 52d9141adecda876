-- cutroom render ducking.lua -o ducking.m4a
local cutroom = require "cutroom"
local draft = cutroom.draft { duration = 8 }
draft:add_audio("voice.m4a", { id = "voice", at = 2 })
draft:add_audio("song.m4a", {
  fade_out = 1, effects = { { "org.cutroom.ducking", { key = "voice", amount = 15 } } },
})
return draft
