-- cutroom render subtitles_burned.lua -o subtitles_burned.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("interview.mp4")
draft:add_subtitles("talk.srt", { size = 28, background = "#000000a0", outline_width = 0 })
return draft
