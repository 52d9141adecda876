#!/usr/bin/env bash
# media.sh [FOLDER]: draws the media of the cookbook's recipes (default: the folder of this file,
# where the recipes look for them). ffmpeg's own sources draw and sound everything; nothing is
# downloaded. It takes a few seconds.
set -euo pipefail
folder=${1:-$(dirname "$0")}
mkdir -p "$folder/timelapse"
cd "$folder"

make() { ffmpeg -hide_banner -loglevel error -nostdin -y "$@"; }
still() { make -f lavfi -i "color=black:s=$1:d=1,format=$2,$3" -frames:v 1 "$4"; }
h264=(-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p -colorspace bt709 -color_primaries bt709
  -color_trc bt709 -color_range tv -c:a aac -b:a 128k -ar 48000 -shortest)

# The beach: sky with a sun, a sea that glitters, sand.
sun='exp(-pow(hypot(X-470,Y-92)/46,2))'
disc='lt(hypot(X-470,Y-92),30)'
glint='(gt(random(1),0.985)*60+80*exp(-pow((X-470)/60,2))*gt(sin(Y*0.9+sin(X/9)*2),0.2))'
sea='between(Y,190,292+9*sin(X/70)+4*sin(X/23))'
foam='between(Y,288+9*sin(X/70)+4*sin(X/23),296+9*sin(X/70)+4*sin(X/23))'
layer() { echo "if($foam,$1,if($sea,$2,if(lt(Y,190),$3,$4)))"; }
still 640x360 gbrp "geq=r='$(layer 246 "28+Y*0.08+$glint" "min(255,86+Y*0.8+80*$sun+90*$disc)" '233-(Y-290)*0.2')'\
:g='$(layer 250 "112+Y*0.1+$glint" "min(255,158+Y*0.32+50*$sun+40*$disc)" '205-(Y-290)*0.2')'\
:b='$(layer 246 "150-Y*0.05+$glint*0.7" "min(255,232-Y*0.18)" '150-(Y-290)*0.15')'" beach.png

# A boat with an orange sail, which crosses the sea from left to right.
sail='between(Y,6,60)*between(X,44,44+(Y-6)*0.75)+between(Y,14,60)*between(X,38-(Y-14)*0.6,38)'
hull='between(Y,66,82)*between(X,8+(Y-66)*0.9,88-(Y-66)*0.9)'
mast='between(Y,2,66)*between(X,40,42)'
still 96x90 gbrap "geq=r='if($sail,238,if($hull,120,60))':g='if($sail,92,if($hull,40,40))':b='if($sail,46,if($hull,36,40))'\
:a='255*gt($sail+$hull+$mast,0)'" boat.png
make -framerate 30 -loop 1 -t 6 -i beach.png -framerate 30 -loop 1 -t 6 -i boat.png \
  -f lavfi -i "anoisesrc=color=pink:amplitude=0.5:seed=1:d=6:r=48000,tremolo=f=0.35:d=0.7,lowpass=f=2500" -filter_complex \
  "[0][1]overlay=x='-20+90*t':y='142+4*sin(3*t)'" "${h264[@]}" -ac 2 beach.mp4

# The city at night, along which the camera moves.
tower='(90+130*abs(sin(floor(X/46)*12.9898)))'
lit='lt(mod(X,46),42)*lt(mod(X,12),6)*lt(mod(Y,16),8)*gt(abs(sin(floor(X/12)*78.233+floor(Y/16)*37.719)),0.45)'
moon='lt(hypot(X-240,Y-70),32)*gte(hypot(X-256,Y-62),28)'
city() { echo "if(gt(Y,360-$tower),if($lit,$1,$2),if($moon,$3,$4))"; }
still 1000x360 gbrp "geq=r='$(city 255 26 250 '18+Y*0.28')':g='$(city 214 24 240 '20+Y*0.1')':b='$(city 120 52 205 '64+Y*0.18')'" city.png
make -framerate 30 -i city.png -f lavfi -i "aevalsrc='0.22*sin(2*PI*98*t)+0.16*sin(2*PI*147*t+3*sin(2*PI*0.7*t))':s=48000:d=6" \
  -vf "format=yuv420p,loop=179:1,setpts=N/30/TB,crop=640:360:x='60*t':y=0" "${h264[@]}" -ac 2 city.mp4

# A presenter, whose mouth opens with each syllable of a voice; before a wall, and before a green
# screen.
head='lt(hypot((X-120)/0.86,Y-104),74)'
hair='lt(hypot((X-120)/0.95,Y-78),72)*lt(Y,86+0.22*abs(X-120))'
body='lt(hypot((X-120)/1.1,Y-300),126)'
eyes='lt(hypot(X-94,Y-104),7)+lt(hypot(X-146,Y-104),7)'
for mouth in 4 13; do
  lips="lt(hypot((X-120)/2,(Y-146)*10/$mouth),10)"
  part() { echo "if($eyes,40,if($lips,$1,if($hair,$2,if($head,$3,$4))))"; }
  still 240x330 gbrap "geq=r='$(part 140 70 240 40)':g='$(part 46 42 196 96)':b='$(part 50 32 160 150)':a='255*gt($hair+$head+$body,0)'" mouth$mouth.png
done
says="between(mod(t,3),0.1,2.3)*pow(abs(sin(2*PI*1.9*t)),0.6)"
make -f lavfi -i "aevalsrc='0.13*$says*(2*mod(t*128+2*sin(2*PI*0.6*t),1)-1)':s=48000:d=6" \
  -af "equalizer=f=650:t=q:w=2:g=9,equalizer=f=1700:t=q:w=2:g=7,lowpass=f=3800,highpass=f=90" -c:a pcm_s16le voice.wav
for wall in interview:0x8fb8c4 presenter:0x28b446; do
  make -f lavfi -i "color=${wall#*:}:s=640x360:r=30:d=6" -framerate 30 -loop 1 -t 6 -i mouth4.png \
    -framerate 30 -loop 1 -t 6 -i mouth13.png -i voice.wav -filter_complex \
    "[0][1]overlay=x='200+8*sin(t*2)':y=34[shut];[shut][2]overlay=x='200+8*sin(t*2)':y=34:enable='gt($says,0.5)',scale=out_color_matrix=bt709" \
    "${h264[@]}" -ac 1 ${wall%:*}.mp4
done
make -i voice.wav -c:a aac -b:a 96k voice.m4a

# Four photos, and a picture of the beach for every ten minutes from noon to the night.
make -i beach.png -vf scale=1280:720:flags=lanczos -q:v 3 photo1.jpg
make -i city.png -vf crop=640:360:0:0,scale=1280:720:flags=lanczos -q:v 3 photo2.jpg
make -i beach.png -vf hue=h=-35:s=1.3,hflip,scale=1280:720:flags=lanczos -q:v 3 photo3.jpg
make -i city.png -vf crop=640:360:360:0,hue=h=40,scale=1280:720:flags=lanczos -q:v 3 photo4.jpg
make -framerate 12 -loop 1 -t 3 -i beach.png -vf \
  "format=gbrp,colorbalance=rs=0.1,format=yuv444p,hue=b='-2.4*t/3':s='1+0.6*sin(PI*t/3)':h='-14*t/3'" -q:v 3 timelapse/%04d.jpg

# A logo with alpha: a ring around a play button.
ring='between(hypot(X-60,Y-60),44,56)'
play='between(X,46,86)*lt(abs(Y-60),(86-X)*0.62)'
still 120x120 gbrap "geq=r=255:g=255:b=255:a='255*gt($ring+$play,0)'" logo.png

# Two pieces of music: plucked notes over a bass, in A minor and in C major.
tune() { # FILE FIRST SECOND THIRD FOURTH: semitones above A of each chord's root
  local root="(220*pow(2,if(lt(mod(t,8),2),$2,if(lt(mod(t,8),4),$3,if(lt(mod(t,8),6),$4,$5)))/12))"
  local step="pow(2,if(lt(mod(t,1),0.25),0,if(lt(mod(t,1),0.5),7,if(lt(mod(t,1),0.75),12,7)))/12)"
  make -f lavfi -i "aevalsrc='0.22*sin(2*PI*$root*$step*t)*exp(-6*mod(t,0.25))+0.18*sin(2*PI*$root/2*t)':s=24000:d=12" \
    -af "aecho=0.8:0.6:180:0.3" -ar 48000 -ac 2 -c:a aac -b:a 160k "$1"
}
tune song.m4a 0 -4 3 -2
tune other_song.m4a 3 8 10 5

cat >talk.srt <<'TALK'
1
00:00:00,200 --> 00:00:02,400
This is the first thing I say,

2
00:00:03,100 --> 00:00:05,600
and <i>this</i> is the second one.
TALK
rm beach.png boat.png city.png mouth4.png mouth13.png voice.wav
