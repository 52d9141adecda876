-- cutroom render black_and_white.lua -o black_and_white.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft("beach.mp4", { time_range = { 0, 4 } })
draft:add_effect("org.cutroom.libavfilter_pure", {
  range = { 0, 2 }, graph = "hue=s=0,eq=contrast=1.3",
})
draft:add_effect("org.cutroom.vignette", { strength = 0.7, range = { 2, 2 } })
return draft
