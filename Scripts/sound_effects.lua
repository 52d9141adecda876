-- The shipped sound effects: on clips, on music, and on the mix of the main track.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
-- A clip's own: in the clip's time, after its speed, before its volume and fades.
draft:add_clip(params.media .. "/a.mp4", {
  range = { 0, 3 },
  effects = { { "org.cutroom.noise_reduction", { amount = 12 } }, { "org.cutroom.equalizer", { low_cut = 90, high_gain = 3 } } },
})
draft:add_clip(params.media .. "/b.mp4", {
  range = { 0, 3 }, transition = { "dissolve", 0.5 }, effects = { { "org.cutroom.pitch", { semitones = -3, range = { 0, 1.5 } } } },
})

-- Music, muffled at first, then opening, with an echo for its last two seconds. It makes room for
-- the clips' sound.
draft:add_audio(params.media .. "/music.m4a", {
  range = { 0, 5.5 }, volume = 0.6, fade_out = 0.5,
  effects = {
    { "org.cutroom.equalizer", { high_cut = { { 0, 300, "ease_in" }, { 3, 12000 } } } },
    { "org.cutroom.echo", { delay = 0.25, feedback = 0.5, range = { 3.5, 2 } } },
    { "org.cutroom.ducking", { threshold = -30, amount = 9 } },
  },
})

-- The main track's mix; entries take their turn in the list as all effects do.
draft:add_effect("org.cutroom.compressor", { threshold = -24, ratio = 3, makeup = 4 })
draft:add_effect("org.cutroom.gain", { range = { 2.4, 0.8 }, gain = { { 0, 0 }, { 0.4, -18 }, { 0.8, 0 } } })
return draft
