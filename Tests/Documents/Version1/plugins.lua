-- Every place that a plugin's effect has in a draft, and every form of its parameters.
local cutroom = require "cutroom"
local set = cutroom.params { media = { type = "path", default = "media" } }
local function media(name) return set.media .. "/" .. name end
local draft = cutroom.draft { size = { 640, 360 }, fps = 30, background = "#102030", time_range = { 0.5, 9 } }

draft:add_source("org.test.bars", { duration = 3, amount = 0.25, media = media "music.m4a", id = "bars" })
draft:add_source("org.test.awkward", { duration = 2, speed = 7, params = { duration = 4, start = 6 }, transition = { "wipe_up", 0.5 } })
draft:add_clip(media "a.mp4", { range = { 1, 3 }, speed = 1.5, mode = "fill",
  transition = { kind = "org.test.joiner", duration = 0.5, map = media "matte.png" },
  effects = {
    { "org.test.reader", { model = media "matte.png", image = media "look.png", note = "look.png" } },
    { "org.test.bars", { rect = { 10, 20, 100, 50 }, amount = { { 0, 0, "ease_in" }, { 1, 1 } }, shape = "round" } },
    { "org.test.room", { impulse = media "music.m4a", wet = 0.5, range = { 0.25, 1 } } },
    { kind = "org.cutroom.vignette", strength = 1 },
  } })
draft:add_image(media "photo.jpg", { duration = 2, transition = { "org.cutroom.circle_open", 0.5 } })
draft:add_audio(media "music.m4a", { at = 1, range = { 2, 4 }, volume = { { 0, 0 }, { 1, 0.5, "hold" }, { 2, 1 } }, effects = {
  { "org.test.room", { impulse = media "music.m4a", note = "music.m4a", params = { range = 3 } } },
  { "org.cutroom.echo", { delay = 0.25, range = { 1, 2 } } },
} })

draft:add_effect("speed", { factor = 2, range = { 0, 2 } })
draft:add_effect("org.test.awkward", { rect = { 1, 2, 3, 4 }, opacity = 0.5, params = { rect = 7, opacity = 8 } })
draft:add_effect("org.test.bars", { opacity = function(t) return t / 20 end, range = { 1, 1 }, media = media "a.mp4" })
draft:add_effect("org.cutroom.flash", { color = { { 0, "#f00" }, { 1, "#00f" } } })
draft:add_effect("org.test.room", { impulse = media "music.m4a", wet = { { 0, 0 }, { 1, 1 } } })
draft:add_effect("org.cutroom.compressor", { threshold = -24 })
draft:add_effect("repeat", { count = 2, range = { 3, 0.5 } })
draft:add_effect("sticker", { image = media "emoji.png", rect = { 1, 2, 80, 80 }, id = "face" })
draft:add_effect("org.test.reader", { model = "", image = media "look.png", pass_through = true })
return draft
