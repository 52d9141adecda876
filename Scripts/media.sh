#!/usr/bin/env bash
# media.sh [FOLDER]: makes the media of the example scripts (default: the folder "media" beside this
# file). Everything is drawn and sounded by ffmpeg's own sources; nothing is downloaded. It takes
# about half a minute.
set -euo pipefail
folder=${1:-$(dirname "$0")/media}
mkdir -p "$folder"
cd "$folder"

make() { ffmpeg -hide_banner -loglevel error -nostdin -y "$@"; }
h264=(-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709
  -color_range tv -c:a aac -b:a 128k -ar 48000 -shortest)

# Two wide landscapes, drawn once; the camera of the clips moves along them.
ridge() { echo "if(gt(Y\,$1+$2*sin(X/$3)+$4*sin(X/$5+$1))\,$6\,$7)"; }
day=color=black:s=2400x720:d=1,format=gbrp
day+=",geq=r='min(255,110+Y*0.16+160*exp(-pow(hypot(X-1100,Y-210)/90,2)))':g='min(255,175+Y*0.06+70*exp(-pow(hypot(X-1100,Y-210)/90,2)))':b='235-Y*0.1'"
day+=",geq=r='$(ridge 400 70 210 22 77 120 'r(X\,Y)')':g='$(ridge 400 70 210 22 77 150 'g(X\,Y)')':b='$(ridge 400 70 210 22 77 175 'b(X\,Y)')'"
day+=",geq=r='$(ridge 500 50 150 20 53 60 'r(X\,Y)')':g='$(ridge 500 50 150 20 53 125 'g(X\,Y)')':b='$(ridge 500 50 150 20 53 85 'b(X\,Y)')'"
day+=",geq=r='$(ridge 600 35 110 14 37 35 'r(X\,Y)')':g='$(ridge 600 35 110 14 37 90 'g(X\,Y)')':b='$(ridge 600 35 110 14 37 50 'b(X\,Y)')'"
make -f lavfi -i "$day" -frames:v 1 day.png
night="color=black:s=2400x720:d=1,format=gbrp"
night+=",geq=r='min(255,18+Y*0.07+230*lt(hypot(X-620,Y-170),60)*gte(hypot(X-650,Y-155),52)+200*gt(random(1),0.9992))'"
night+=":g='min(255,16+Y*0.04+225*lt(hypot(X-620,Y-170),60)*gte(hypot(X-650,Y-155),52)+200*gt(random(2),0.9992))'"
night+=":b='min(255,48+Y*0.12+170*lt(hypot(X-620,Y-170),60)*gte(hypot(X-650,Y-155),52)+200*gt(random(3),0.9992))'"
night+=",geq=r='$(ridge 480 80 190 24 61 38 'r(X\,Y)')':g='$(ridge 480 80 190 24 61 32 'g(X\,Y)')':b='$(ridge 480 80 190 24 61 82 'b(X\,Y)')'"
night+=",geq=r='$(ridge 580 45 120 18 41 16 'r(X\,Y)')':g='$(ridge 580 45 120 18 41 14 'g(X\,Y)')':b='$(ridge 580 45 120 18 41 44 'b(X\,Y)')'"
make -f lavfi -i "$night" -frames:v 1 night.png

# Two landscape clips with sound, a portrait one at another frame rate.
pan="format=yuv420p,loop=239:1,setpts=N/30/TB,crop=1280:720:x='140*t':y=0"
make -framerate 30 -i day.png \
  -f lavfi -i "aevalsrc='0.25*sin(2*PI*220*t)+0.15*sin(2*PI*330*t)*sin(PI*t)|0.25*sin(2*PI*220*t)+0.15*sin(2*PI*277*t)':s=48000:d=8" \
  -vf "$pan" "${h264[@]}" a.mp4
make -framerate 30 -i night.png -f lavfi -i "aevalsrc='0.3*sin(2*PI*180*t+8*sin(PI*t))':s=48000:d=8" \
  -vf "$pan" "${h264[@]}" b.mp4
make -f lavfi -i "gradients=s=180x320:r=25:d=6:n=3:c0=0x3d1e6d:c1=0xf15bb5:c2=0x00bbf9:speed=0.02:seed=3:type=spiral" \
  -f lavfi -i "sine=f=440:d=6:r=44100,tremolo=f=3:d=0.8" -vf scale=720:1280 "${h264[@]}" -ar 44100 c.mp4

# The day again, from a hand that shakes.
shake="crop=960:540:x='100+30*t+floor(20*sin(2*PI*2.3*t)+14*sin(2*PI*5.1*t+1))':y='90+floor(16*sin(2*PI*3.1*t+2)+9*sin(2*PI*6.7*t))'"
make -framerate 30 -loop 1 -t 4 -i day.png -vf "format=gbrp,$shake" "${h264[@]}" -an shaky.mp4

# Six photos of both, in the light of six hours.
for i in 1 2 3 4 5 6; do
  view=day; [ "$i" -gt 3 ] && view=night
  make -i $view.png -vf "crop=1200:720:$((i * 190)):0,hue=h=$((i * 35 - 70)):s=0.9,scale=1600:960" -frames:v 1 -q:v 3 photo$i.jpg
done
rm day.png night.png

# Somebody who walks past, and smiles after two seconds: a face that is drawn softly enough for a
# face detector.
spot() { echo "exp(-pow((X-$1)/$3\,2)-pow((Y-$2)/$4\,2))"; }
oval="clip((1-hypot((X-120)/78\,(Y-155)/105))*20\,0\,1)"
hair="clip((1-hypot((X-120)/92\,(Y-125)/105))*20\,0\,1)"
skin="205-70*(1-$(spot 120 150 95 140))-75*$(spot 87 138 17 9)-75*$(spot 153 138 17 9)-55*$(spot 87 118 22 5)-55*$(spot 153 118 22 5)"
skin+="-35*$(spot 87 130 26 20)-35*$(spot 153 130 26 20)+18*$(spot 120 165 9 34)-45*$(spot 111 186 6 4)-45*$(spot 129 186 6 4)"
serious="-85*$(spot 120 216 27 6)-25*$(spot 120 226 20 5)"
lips="(Y-214+pow((X-120)/34\,2)*12)"
smiling="-90*exp(-pow($lips/4\,2)-pow((X-120)/36\,6))+45*exp(-pow(($lips-7)/5\,2)-pow((X-120)/32\,6))"
smiling+="-80*exp(-pow(($lips-15)/4\,2)-pow((X-120)/28\,6))-50*$(spot 84 202 8 6)-50*$(spot 156 202 8 6)"
for mouth in serious smiling; do
  light="(40*(1-$oval)+$oval*($skin${!mouth}))"
  make -f lavfi -i "color=black:s=240x300:d=1,format=gbrap,geq=r='min(255,1.08*$light)':g='0.88*$light':b='0.76*$light':a='255*max($oval,$hair)'" \
    -frames:v 1 $mouth.png
done
where="x='250+150*sin(2*PI*t/4)':y='60+30*sin(2*PI*t/2)'"
make -i a.mp4 -loop 1 -framerate 30 -i serious.png -loop 1 -framerate 30 -i smiling.png -t 4 -filter_complex \
  "[0:v]scale=640:360[day];[1]scale=144:180[one];[2]scale=144:180[two];[day][one]overlay=$where:enable='lt(t,2)'[half];[half][two]overlay=$where:enable='gte(t,2)'" \
  "${h264[@]}" -an face.mp4
# The same face in white on black: where it is, by its light.
make -f lavfi -i "color=black:s=640x360:r=30:d=4" -loop 1 -framerate 30 -i serious.png -t 4 -filter_complex \
  "[1]scale=144:180,lutrgb=r=255:g=255:b=255[one];[0][one]overlay=$where" "${h264[@]}" -an face_matte.mp4
rm serious.png smiling.png

# A photo, and a sticker with alpha.
sky="geq=r='clip(250-Y*0.22+60*exp(-pow(hypot(X-900,Y-300)/120,2)),0,255)'"
sky+=":g='clip(120+Y*0.06+90*exp(-pow(hypot(X-900,Y-300)/120,2)),0,255)':b='clip(90+Y*0.2,0,255)'"
hills="geq=r='if(gt(Y,520+60*sin(X/170)+25*sin(X/61)),30+Y*0.02,r(X,Y))':g='if(gt(Y,520+60*sin(X/170)+25*sin(X/61)),60+Y*0.05,g(X,Y))'"
hills+=":b='if(gt(Y,520+60*sin(X/170)+25*sin(X/61)),70,b(X,Y))'"
make -f lavfi -i "color=black:s=1280x720:d=1,format=gbrp,$sky,$hills" -frames:v 1 photo.png
make -i photo.png -frames:v 1 -q:v 2 photo.jpg
face="geq=r='if(lt(hypot(X-80,Y-80),74),255,0)*not(lt(hypot((X-55)/0.7,Y-62),12)+lt(hypot((X-105)/0.7,Y-62),12)+gt(Y,90)*between(hypot(X-80,Y-82),36,44))'"
face+=":g='if(lt(hypot(X-80,Y-80),74),205-Y*0.3,0)*not(lt(hypot((X-55)/0.7,Y-62),12)+lt(hypot((X-105)/0.7,Y-62),12)+gt(Y,90)*between(hypot(X-80,Y-82),36,44))'"
face+=":b='if(lt(hypot(X-80,Y-80),74),40,0)*not(lt(hypot((X-55)/0.7,Y-62),12)+lt(hypot((X-105)/0.7,Y-62),12)+gt(Y,90)*between(hypot(X-80,Y-82),36,44))'"
face+=":a='255*clip(75-hypot(X-80,Y-80),0,1)'"
make -f lavfi -i "color=black:s=160x160:d=1,format=gbrap,$face" -frames:v 1 emoji.png

# Somebody before a green screen.
make -f lavfi -i "color=0x28b446:s=640x360:r=30:d=4" -loop 1 -framerate 30 -t 4 -i emoji.png \
  -filter_complex "[1]scale=200:200[face];[0][face]overlay=x='220+160*sin(t*1.5)':y='90+20*sin(t*6)':shortest=1,scale=out_color_matrix=bt709" \
  "${h264[@]}" screen.mp4

# A matte for a transition: dark changes first.
make -f lavfi -i "color=black:s=320x180:d=1,format=gray,geq=lum='127.5+127.5*sin((hypot(X-160,Y-90)+24*atan2(Y-90,X-160))/24)'" \
  -frames:v 1 matte.png

# A look-up image: 8×8 tiles, red across and green down in each tile, blue from tile to tile; then a
# warm look on top.
identity="geq=r='mod(X,64)*255/63':g='mod(Y,64)*255/63':b='(floor(Y/64)*8+floor(X/64))*255/63'"
make -f lavfi -i "color=black:s=512x512:d=1,format=gbrp,$identity" -frames:v 1 identity.png
make -i identity.png -vf "format=gbrp,curves=r='0/0.04 0.5/0.56 1/1':g='0/0.02 0.5/0.5 1/0.97':b='0/0.08 0.5/0.45 1/0.88',format=rgb24" \
  -frames:v 1 look.png
rm identity.png

# Twenty seconds of music: an arpeggio over a bass note, in four chords.
root="(220*pow(2,if(lt(mod(t,8),2),0,if(lt(mod(t,8),4),-4,if(lt(mod(t,8),6),3,-2)))/12))"
step="pow(2,if(lt(mod(t,1),0.25),0,if(lt(mod(t,1),0.5),4,if(lt(mod(t,1),0.75),7,12)))/12)"
make -f lavfi -i "aevalsrc='0.22*sin(2*PI*$root*$step*t)*exp(-6*mod(t,0.25))+0.18*sin(2*PI*$root/2*t)':s=24000:d=20" \
  -af "aecho=0.8:0.6:180:0.3" -ar 48000 -ac 2 -c:a aac -b:a 160k music.m4a

# Six seconds of somebody speaking: syllables of a buzzing voice between two formants, with pauses
# between three sentences.
speaks="(between(mod(t,2),0.05,1.6)*pow(abs(sin(2*PI*2.1*t)),0.6))"
make -f lavfi -i "aevalsrc='0.3*$speaks*(2*mod(t*118+2*sin(2*PI*0.7*t),1)-1)':s=48000:d=6" \
  -af "equalizer=f=650:t=q:w=2:g=9,equalizer=f=1700:t=q:w=2:g=7,lowpass=f=3800,highpass=f=90" -ac 1 -c:a aac -b:a 96k voice.m4a

# Subtitles, and a song whose words have times.
cat >talk.srt <<'TALK'
1
00:00:00,500 --> 00:00:02,500
A day on the hills.

2
00:00:02,500 --> 00:00:05,000
The camera moves from left to right,
and the <i>sun</i> comes into view.

3
00:00:05,200 --> 00:00:07,800
<font color="#ffd400">That is all</font> that happens.
TALK
cat >song.vtt <<'SONG'
WEBVTT

00:00.500 --> 00:04.000
<00:00.600>Row, <00:01.100>row, <00:01.600>row <00:02.000>your <00:02.400>boat

00:04.000 --> 00:08.000
<00:04.200>gently <00:05.000>down <00:05.600>the <00:06.000>stream
SONG
