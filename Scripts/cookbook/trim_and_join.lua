-- cutroom render trim_and_join.lua -o trim_and_join.mp4
local cutroom = require "cutroom"
local draft = cutroom.draft {
  { "beach.mp4", range = { 1, 2 } },       -- two seconds, from the first second on
  { "city.mp4", range = { 0.5, 1.5 } },
  { "interview.mp4", range = { 0, 2 } },
}
return draft
