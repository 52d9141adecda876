-- All ten transitions, one after the other, each named by a title while it runs.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }

local kinds = {
  "dissolve", "fade", "wipe_left", "wipe_right", "wipe_up", "wipe_down", "slide_left", "slide_right", "slide_up", "slide_down",
}
local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
draft:add_clip(params.media .. "/a.mp4", { range = { 0, 1.5 } })
for i, kind in ipairs(kinds) do
  local name = i % 2 == 1 and "b.mp4" or "a.mp4"
  draft:add_clip(params.media .. "/" .. name, { id = kind, range = { i * 0.5, 1.5 }, transition = { kind, 0.5 } })
end
for _, kind in ipairs(kinds) do
  draft:add_title(kind, { size = 40, position = { "center", 290 }, range = { draft.clips[kind].start, 0.5 } })
end
return draft
