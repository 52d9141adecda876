-- A shaken clip held still.
local cutroom = require "cutroom"
local params = cutroom.params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local clip = params.media .. "/shaky.mp4"

local draft = cutroom.draft(clip, { size = { 960, 540 }, fps = 30 })
local motion = cutroom.analyse(clip, "org.cutroom.camera_motion")
draft:add_effect("org.cutroom.transform", cutroom.steady(motion, { seconds = 0.5 }))
return draft
