-- The moving picture of the README: each scene shows the line of a script that makes it. `make
-- cookbook` renders it.
local cutroom = require "cutroom"
local draft = cutroom.draft { size = { 480, 270 }, fps = 10 }

local card = cutroom.draft({ { "city.mp4", range = { 0, 3 } } }, { size = { 320, 180 } })
card:add_title("A draft in a draft", { size = 30, position = "bottom", margin = 12 })

draft:add_clip("beach.mp4", { id = "title", range = { 1, 2 } })
draft:add_clip("city.mp4", { id = "circle", range = { 1, 2 }, transition = { "xfade.circleopen", 0.5 } })
draft:add_clip("beach.mp4", { id = "key", range = { 3, 2 }, transition = { kind = "org.cutroom.cube", duration = 0.5 } })
draft:add_source("org.cutroom.gradient", { id = "card", duration = 2, speed = 0.1, transition = { "slide_left", 0.5 } })
draft:add_image("photo1.jpg", {
  id = "zoom", duration = 2, mode = "fill", transition = { "dissolve", 0.5 },
  crop = { { 0, { 0, 0, 1, 1 }, "ease_in_out" }, { 2, { 0.5, 0.05, 0.45, 0.45 } } },
})

local start = {}
for clip in ("title circle key card zoom"):gmatch("%a+") do start[clip] = draft.clips[clip].start end
draft:add_layer("interview.mp4", {
  at = start.circle + 0.4, range = { 0, 1.2 }, size = { 130, 130 }, mode = "fill", corner_radius = "50%",
  position = "top_right", margin = 16, enter = { "pop", 0.4 }, leave = { "fade", 0.2 },
})
draft:add_layer("presenter.mp4", {
  at = start.key + 0.3, range = { 0, 1.5 }, width = "72%", position = { "32%", "bottom" },
  effects = { { "org.cutroom.chroma_key" } }, enter = { "slide_right", 0.3 }, leave = { "fade", 0.3 },
})
draft:add_layer(card, {
  at = start.card + 0.3, range = { 0, 1.5 }, width = "56%", corner_radius = 12, position = { "center", "44%" },
  rotation = { { 0, -10, "ease_in_out" }, { 1.5, 10 } }, enter = { "zoom", 0.3 }, leave = { "fade", 0.2 },
})
draft:add_title("Cutroom", { range = { 0.1, 1.6 }, size = 72, position = { "center", 36 }, shadow_blur = 10, enter = { "type", 0.6 } })

local lines = {
  title = 'add_title("Cutroom", { enter = { "type", 0.6 } })',
  circle = 'corner_radius = "50%", enter = { "pop", 0.4 }',
  key = 'effects = { { "org.cutroom.chroma_key" } }',
  card = 'rotation = { { 0, -10 }, { 1.5, 10 } }',
  zoom = 'crop = { { 0, { 0, 0, 1, 1 } }, { 2, … } }',
}
for clip, line in pairs(lines) do
  draft:add_title(line, {
    range = { start[clip] + 0.2, 1.4 }, font = "Monospace", size = 14, position = "bottom", margin = 10,
    background = "#101426e0", background_radius = 6, background_padding = { 10, 6 },
  })
end
return draft
