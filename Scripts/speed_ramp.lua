-- A clip that gets faster and slower, and stands for a moment; its sound keeps its pitch and its
-- place. In slow motion neighbouring frames are mixed.
local params = require("cutroom").params { media = { type = "path", default = "media", help = "the folder that media.sh has filled" } }
local draft = require("cutroom").draft { size = { 1280, 720 }, fps = 30 }
draft:add_clip(params.media .. "/a.mp4", { speed = { { 0, 1 }, { 2, 4, "ease_in_out" }, { 6, 0.25 } }, freeze = { 7, 0.5 }, frames = "blend" })
return draft
