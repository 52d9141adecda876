-- The "plugin" workload: a 1080p file as it is, or through the plugin that negates it.
local cutroom = require "cutroom"
local params = cutroom.params {
  source = { type = "path" },
  seconds = { type = "number", default = 20 },
  negates = { type = "boolean", default = false },
}
local draft = cutroom.draft { size = { 1920, 1080 }, fps = 30, export = { video = { quality = 23, preset = "ultrafast" } } }
draft:add_clip(params.source, { range = { 0, params.seconds }, volume = 0 })
if params.negates then draft:add_effect("bench.negate", {}) end
return draft
