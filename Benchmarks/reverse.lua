-- The "reverse" workload: one 1080p clip, forwards or backwards, under a title.
local cutroom = require "cutroom"
local params = cutroom.params {
  file = { type = "path", help = "the clip that reverse.py has made" },
  reverse = { type = "boolean", default = false },
  title = { type = "string", default = "Hello Cutroom" },
  start = { type = "number", default = 0, help = "when the title begins" },
  duration = { type = "number", default = 20, help = "how long it stays" },
}
local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
draft.export = { video = { quality = 23, preset = "veryfast" } }
draft:add_clip(params.file, { reverse = params.reverse })
draft:add_title(params.title, { size = 64, position = { "center", 600 }, range = { params.start, params.duration } })
return draft
