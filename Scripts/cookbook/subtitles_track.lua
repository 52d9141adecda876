-- cutroom render subtitles_track.lua -o subtitles_track.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("interview.mp4")
draft:add_subtitles("talk.srt", { as = "track", language = "eng", name = "English" })
return draft
