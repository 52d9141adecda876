-- A little of everything: two landscapes and a portrait clip, a photo, transitions, speed, a look,
-- a sticker, a title, music, and two plugins.
local cutroom = require "cutroom"
local params = cutroom.params {
  media = { type = "path", default = "media", help = "the folder that media.sh has filled" },
  title = { type = "string", default = "Cutroom", help = "the opening title" },
}
local function file(name) return params.media .. "/" .. name end

local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }

draft:add_clip(file "a.mp4", { id = "day", range = { 0, 4 }, fade_in = 0.5 })
draft:add_clip(file "b.mp4", { id = "night", range = { 1, 4.5 }, speed = 1.5, volume = 0.6, transition = { "dissolve", 0.5 } })
draft:add_image(file "photo.jpg", { id = "evening", duration = 3, mode = "fill", transition = { "wipe_left", 0.5 } })
draft:add_clip(file "c.mp4", {
  id = "portrait", range = { 0, 3 }, transition = { "slide_up", 0.5 },
  effects = { { "lut", { image = file "look.png" } } },
})

draft:add_audio(file "music.m4a", { range = { 0, 12 }, volume = 0.5, fade_out = 2 })

-- The list is worked through in order: the look is stretched with the picture, the sticker is not.
draft:add_effect("lut", { image = file "look.png", intensity = 0.7, range = { 0, 4 } })
draft:add_effect("speed", { range = { 4, 1 }, factor = 2 })
draft:add_effect("org.cutroom.rgb_split", { range = { 5, 1 } })
draft:add_effect("org.cutroom.vignette", { strength = 0.5 })
draft:add_effect("sticker", { image = file "emoji.png", rect = { 1080, 40, 160, 160 }, range = { 6, 4 } })
draft:add_title(params.title, {
  size = 96, color = "#ffffff", outline_color = "#00000080", outline_width = 3, position = { "center", 520 }, range = { 0.5, 3 },
  opacity = { { 0, 0 }, { 0.5, 1, "ease_out" }, { 2.5, 1 }, { 3, 0 } },
})
return draft
