-- Values that change with time: keyframes with easings, and functions of time.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
-- The volume swells and falls twice a second.
draft:add_clip(params.media .. "/a.mp4", {
  range = { 0, 4 }, volume = function(t) return 0.5 + 0.5 * math.sin(2 * math.pi * 2 * t) end,
})
-- A sticker that comes, stays and goes; each key says how the way to the next one is eased.
draft:add_effect("sticker", {
  image = params.media .. "/emoji.png", rect = { 240, 100, 160, 160 },
  opacity = { { 0, 0, "ease_in" }, { 1, 1, "hold" }, { 3, 1, "ease_in_out" }, { 4, 0 } },
})
-- A plugin's parameter beats like a heart: a function is called once for every output frame, before
-- the render.
draft:add_effect("org.cutroom.vignette", {
  strength = function(t)
    local phase = t % 1
    return 0.4 + 0.5 * math.exp(-6 * phase)
  end,
})
draft:add_title("easing", {
  size = 48, position = { "center", 290 }, opacity = { { 0, 0, "ease_out" }, { 1.5, 1, "ease_in" }, { 4, 0.2 } },
})
return draft
