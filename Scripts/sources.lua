-- What sources make: a title card on a moving gradient, then a picture of the music over a clip.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local music = params.media .. "/music.m4a"

local draft = cutroom.draft { size = { 1280, 720 }, fps = 30, background = "#101018" }
-- A clip that a plugin makes: it has a duration and the plugin's parameters, animated in the clip's
-- time.
draft:add_source("org.cutroom.gradient", {
  duration = 3, speed = 0.1, angle = { { 0, 20 }, { 3, 80 } }, color = "#2b1055", color_2 = "#7597de",
})
draft:add_clip(params.media .. "/b.mp4", { range = { 0, 4 }, volume = 0, transition = { "dissolve", 1 } })
draft:add_audio(music, { range = { 0, 6 }, fade_out = 0.5 })
draft:add_title("The sound of it", { size = 96, range = { 0.3, 2.2 }, opacity = { { 0, 0 }, { 0.4, 1 }, { 1.8, 1 }, { 2.2, 0 } } })

-- The same effects in the list lie over the picture, in a rectangle of it. The music begins with
-- the draft, so an overlay that begins later says how much of the sound has passed.
draft:add_effect("org.cutroom.waveform", {
  media = music, gain = 3, rect = { 160, 470, 960, 180 }, opacity = 0.9, range = { 0.3, 5.7 }, offset = 0.3,
})
draft:add_effect("org.cutroom.spectrum", {
  media = music, style = "mirror", rect = { 890, 60, 330, 160 }, bars = 32, background = "#00000066", range = { 3, 3 }, offset = 3,
})
return draft
