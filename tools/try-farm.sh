#!/usr/bin/env bash
# Runs the commands of the first section of docs/farm.md on two bare Debian 12 systems in folders.
# The systems have their own addresses and networks and share no folder. Then compares the file with
# the one that the usual build renders on this machine, and checks which machine did the work. Needs
# root or sudo, and a mirror of Debian (MIRROR=…).
# usage: try-farm.sh FOLDER PROGRAMS
# FOLDER has the .deb files; PROGRAMS is the usual build's folder.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
packages=$(realpath "${1:?usage: try-farm.sh FOLDER PROGRAMS}")
programs=$(realpath "${2:?usage: try-farm.sh FOLDER PROGRAMS}")
. "$here/bare-debian.sh"
in_own_namespaces "$packages" "$programs"

say "Two bare Debians"
mkdir "$INSIDE/machines"
on() { root=$INSIDE/machines/$1; }
on studio
bare_debian
umount -l "$root/dev" "$root/proc"
cp -a "$root" "$INSIDE/machines/studio-3"
for machine in studio studio-3; do
  on "$machine"
  devices
  mkdir "$root/packages"
  cp "$packages"/*.deb "$root/packages"
  printf '127.0.0.1 localhost\n10.77.0.1 studio\n10.77.0.2 studio-3\n' >"$root/etc/hosts"
  quietly inside useradd --create-home editor
done

# The guide's blocks of commands: the machine, the user, the lines.
python3 - "$here/../docs/farm.md" "$INSIDE" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read().split("## Two machines, from nothing", 1)[1].split("\n## ", 1)[0]
pieces = re.split(r"```sh\n(.*?)```\n", text, flags=re.S)
for number, (before, block) in enumerate(zip(pieces[::2], pieces[1::2])):
    last = before.strip().splitlines()[-1]
    machine = re.findall(r"[Oo](?:n|f) \*(studio(?:-3)?)\*", last)[-1]
    who = "root" if "as root" in last else "editor"
    carry = "yes" if "Copy" in last else "no"
    open(f"{sys.argv[2]}/block-{number}", "w").write("\n".join([machine, who, carry, block]))
PYTHON

# Each machine gets its own network once everything is installed; apt needs this machine's.
network=
separate() {
  mkdir -p /run/netns
  # Names for this script alone.
  mount -t tmpfs none /run/netns
  ip netns add studio
  ip netns add studio-3
  # Some machines give both ends one address.
  ip -n studio link add eth0 address 02:00:00:00:77:01 type veth peer name eth0 address 02:00:00:00:77:02 netns studio-3
  for pair in studio/10.77.0.1 studio-3/10.77.0.2; do
    ip -n "${pair%/*}" address add "${pair#*/}/24" dev eth0
    ip -n "${pair%/*}" link set eth0 up
    ip -n "${pair%/*}" link set lo up
  done
  network=yes
}

for block in $(ls "$INSIDE"/block-* | sort -V); do
  { read -r machine; read -r who; read -r carry; } <"$block"
  on "$machine"
  [ "$who" = root ] || [ -n "$network" ] || separate
  if [ "$carry" = yes ]; then
    say "  the keys change places"
    cp "$INSIDE/machines/studio/home/editor/.config/cutroom/server/server.pub" "$INSIDE/machines/studio-3/home/editor/"
    cp "$INSIDE/machines/studio-3/home/editor/.config/cutroom/keys/studio-3.pub" "$INSIDE/machines/studio/home/editor/"
  fi
  tail -n +4 "$block" | while read -r line; do
    [ -n "$line" ] || continue
    say "  $machine, $who: $line"
    case $who:$line in
      root:*)
        quietly inside sh -c "cd / && ${line/apt install/apt-get install -y -q}" </dev/null
        inside apt-get clean
        ;;
      *:'cutroom serve '* | *:'cutroom-worker --connect '*)
        as=$(declare -f editor)
        ip netns exec "$machine" bash -c "root='$root'; $as; editor bash -c 'cd && exec $line'" </dev/null >"$INSIDE/$machine.log" 2>&1 &
        sleep 3
        ;;
      *)
        as=$(declare -f editor)
        quietly ip netns exec "$machine" bash -c "root='$root'; $as; editor bash -c $(printf %q "cd && $line")" </dev/null
        sed 's/^/          /' "$INSIDE/log" | cut -c 1-160 | head -n 12
        case $line in *'workers') grep -q 'studio-3' "$INSIDE/log" || { cat "$INSIDE"/studio*.log >&2; fail "The node is not there."; } ;; esac
        ;;
    esac
  done
done

say "The same render, here"
mkdir "$INSIDE/cache"
media=$INSIDE/machines/studio/home/editor/media
quietly env HOME="$INSIDE" XDG_CACHE_HOME="$INSIDE/cache" "$programs/cutroom" render "$here/../Scripts/demo.lua" --set media="$media" -o "$INSIDE/demo.mp4" --progress none
ours=$(sha256sum <"$INSIDE/demo.mp4") theirs=$(sha256sum <"$INSIDE/machines/studio/home/editor/demo.mp4")
[ "$ours" = "$theirs" ] || fail "demo.mp4 is ${ours% *} here and ${theirs% *} there."
fetched=$(find "$INSIDE/machines/studio-3/home/editor/.cache/cutroom/nodes/studio-3" -type f | wc -l)
[ "$fetched" -gt 0 ] || fail "studio-3 has read nothing."
say "demo.mp4 ${ours%  -}, and studio-3 has fetched $fetched files for it."
