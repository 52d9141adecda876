-- All transitions, one after the other, each named by a title while it runs: the ten built-in ones,
-- and those of the shipped plugin.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local function file(name) return params.media .. "/" .. name end

local kinds = {
  { "dissolve" }, { "fade" }, { "wipe_left" }, { "wipe_right" }, { "wipe_up" }, { "wipe_down" }, { "slide_left" }, { "slide_right" },
  { "slide_up" }, { "slide_down" },
  { "org.cutroom.circle_open", center = { 0.3, 0.4 } }, { "org.cutroom.circle_close", softness = 0.3 },
  { "org.cutroom.zoom", zoom = 4 }, { "org.cutroom.whip_pan", direction = "left" }, { "org.cutroom.cube", direction = "left" },
  { "org.cutroom.burn", size = 120 }, { "org.cutroom.luma_matte", image = file "matte.png", softness = 0.2 },
}
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip(file "a.mp4", { range = { 0, 1.5 } })
for i, kind in ipairs(kinds) do
  local transition = { kind = kind[1], duration = 0.5 }
  for name, value in pairs(kind) do
    if name ~= 1 then transition[name] = value end
  end
  local name = i % 2 == 1 and "b.mp4" or "a.mp4"
  draft:add_clip(file(name), { id = kind[1], range = { i % 10 * 0.5, 1.5 }, transition = transition })
end
for _, kind in ipairs(kinds) do
  local name = kind[1]:gsub("^org%.cutroom%.", "")
  draft:add_title(name, { size = 40, position = { "center", 290 }, range = { draft.clips[kind[1]].start, 0.5 } })
end
return draft
