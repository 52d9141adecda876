-- Sports highlights: a list of moments, each cut out, the best second of each repeated, and a
-- counter on top.
local cutroom = require "cutroom"
local params = cutroom.params {
  media = { type = "path", default = "media", help = "the folder that media.sh has filled" },
  repeats = { type = "integer", default = 2, min = 1, max = 5, help = "how often the best part of a moment is shown" },
}

local moments = {
  { file = "a.mp4", from = 0.5, length = 2, best = { 0.5, 0.5 }, name = "First" },
  { file = "b.mp4", from = 2, length = 2.5, best = { 1, 0.5 }, name = "Second" },
  { file = "a.mp4", from = 5, length = 2, best = { 1, 0.75 }, name = "Third" },
}

local draft = cutroom.draft { size = { 640, 360 }, fps = 30 }
for i, moment in ipairs(moments) do
  draft:add_clip(params.media .. "/" .. moment.file, {
    id = moment.name, range = { moment.from, moment.length }, transition = i > 1 and { "fade", 0.25 } or nil,
  })
end

-- From the last to the first, so that a repeat never moves a place that is still to be named.
for i = #moments, 1, -1 do
  local moment = moments[i]
  local start = draft.clips[moment.name].start + moment.best[1]
  draft:add_effect("repeat", { range = { start, moment.best[2] }, count = params.repeats })
  draft:add_effect("speed", { range = { start + moment.best[2] * (params.repeats - 1), moment.best[2] }, factor = 0.5 })
end

-- Titles are placed where each clip has come to lie in final time.
for i, moment in ipairs(moments) do
  local at = draft:apply_effects(draft.clips[moment.name].start)
  draft:add_title(("%d/%d  %s"):format(i, #moments, moment.name), { size = 32, position = { 24, 24 }, range = { at, 1.5 } })
end
draft.time_range = { 0, draft.duration - 0.25 }
return draft
