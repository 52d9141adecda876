-- The "startup" workload: one second of a 1080p file, which is one segment.
local cutroom = require "cutroom"
local params = cutroom.params { source = { type = "path" } }
local draft = cutroom.draft { size = { 1920, 1080 }, fps = 30, export = { video = { quality = 20 } } }
draft:add_clip(params.source, { range = { 1, 1 } })
return draft
