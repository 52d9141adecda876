#!/usr/bin/env bash
# Tests the packages of `make deb` on a bare Debian 12 in a folder, without Swift or anything else
# of Cutroom. Installs them with apt, renders examples with shipped plugins, and compares the files
# with those that the usual build renders on this machine. Then reads the manual, completes a
# command, builds a plugin, removes the packages, and looks for files that they left. Needs root or
# sudo, and a mirror of Debian (MIRROR=…).
# usage: try-packages.sh FOLDER PROGRAMS
# FOLDER has the .deb files; PROGRAMS is the usual build's folder.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
packages=$(realpath "${1:?usage: try-packages.sh FOLDER PROGRAMS}")
programs=$(realpath "${2:?usage: try-packages.sh FOLDER PROGRAMS}")
. "$here/bare-debian.sh"
in_own_namespaces "$packages" "$programs"

root=$INSIDE/root
examples=(demo follow_face)
megabytes() { du -smx "$root" | cut -f 1; }

if command -v lintian >/dev/null; then
  say "What lintian says"
  quietly lintian --no-cfg --allow-root --fail-on error,warning "$packages"/cutroom_*.deb "$packages"/cutroom-worker_*.deb
fi

say "A bare Debian 12 in $root"
bare_debian
mkdir "$root/packages" "$root/media/clips"
mount --bind -o ro "$packages" "$root/packages"
before=$(megabytes)

say "The worker by itself"
worker=$(cd "$packages" && ls cutroom-worker_*.deb) program=$(cd "$packages" && ls cutroom_*.deb)
installs "./packages/$worker"
status=0
inside cutroom-worker >"$INSIDE/log" 2>&1 || status=$?
[ "$status" = 64 ] || fail "cutroom-worker ended with $status: $(cat "$INSIDE/log")"

say "Everything"
installs "./packages/$program" "./packages/$worker"
say "  which is $(($(megabytes) - before)) MB with what it depends on and recommends"
inside dpkg -L cutroom cutroom-worker | sort -u >"$INSIDE/files"
for file in bin/cutroom bin/cutroom-worker lib/cutroom/cutroom-recorder lib/cutroom/plugins/*.so; do
  for file in "$root"/usr/$file; do
    libraries=$(inside ldd "${file#"$root"}")
    ! grep -E 'not found|libswift|libFoundation|libdispatch' <<<"$libraries" || fail "$file asks for what no package has."
  done
done
quietly inside useradd --create-home editor
[ "$(editor cutroom --version)" = "$("$programs/cutroom" --version)" ] || fail "Here and there are different versions."
plugins() { sed '/^and .* libraries of /d'; } # Other people's are only here.
editor cutroom plugin list >"$INSIDE/plugins" 2>&1 || fail "$(cat "$INSIDE/plugins")"
env -u CUTROOM_PLUGIN_PATH HOME="$INSIDE" "$programs/cutroom" plugin list 2>&1 | plugins | diff - <(plugins <"$INSIDE/plugins") || fail "Here and there are different plugins."

say "The same renders, here and there"
mkdir "$INSIDE/media" "$INSIDE/cache"
quietly "$here/../Scripts/media.sh" "$INSIDE/media"
mount --bind -o ro "$INSIDE/media" "$root/media/clips"
for name in "${examples[@]}"; do
  quietly env HOME="$INSIDE" XDG_CACHE_HOME="$INSIDE/cache" "$programs/cutroom" render "$here/../Scripts/$name.lua" \
    --set media="$INSIDE/media" -o "$INSIDE/$name.mp4" --progress none
  quietly editor cutroom render "/usr/share/doc/cutroom/examples/$name.lua" --set media=/media/clips -o "/home/editor/$name.mp4" --progress none
  ours=$(sha256sum <"$INSIDE/$name.mp4") theirs=$(sha256sum <"$root/home/editor/$name.mp4")
  [ "$ours" = "$theirs" ] || fail "$name.mp4 is ${ours% *} here and ${theirs% *} there."
  say "  $name.mp4 ${ours%  -}"
done

say "The manual, and completion"
installs man-db bash-completion
for page in cutroom cutroom-render cutroom-worker; do
  editor man "$page" >"$INSIDE/log" 2>&1 || fail "man $page: $(cat "$INSIDE/log")"
  grep -q '^NAME' "$INSIDE/log" || fail "man $page says: $(cat "$INSIDE/log")"
done
touch "$root/home/editor/my film.lua"
typed=$'source /usr/share/bash-completion/bash_completion\necho() { printf "<%s>" "$@"; }\ncutroom() { echo "$@"; }\ncutroom rend\tmy\t--overw\t\nexit\n'
completed=$(editor env -C /home/editor script -qec 'bash --norc --noprofile -i' /dev/null <<<"$typed")
grep -qF '<render><my film.lua><--overwrite>' <<<"$completed" || fail "bash completes: $completed"
[ -s "$root/usr/share/zsh/vendor-completions/_cutroom" ] || fail "zsh has no completions."

say "A plugin, built with what is installed"
installs --no-install-recommends gcc libc6-dev make pkgconf
quietly editor sh -c 'cd && echo "#include <cutroom/plugin.h>" | gcc $(pkg-config --cflags cutroom-plugin) -fsyntax-only -x c -'
quietly editor sh -c 'cd && cutroom plugin new glow --lang c && make -C glow && cutroom plugin check glow/glow.so'

say "Without them again"
quietly inside userdel --remove editor
quietly inside apt-get remove -q -y cutroom-worker
! inside dpkg-query -W cutroom cutroom-worker 2>/dev/null || fail "They are still known."
left=$(find "$root" -xdev -iname '*cutroom*' ! -path "$root/packages/*"; while read -r path; do [ -d "$root$path" ] || [ ! -e "$root$path" ] || echo "$path"; done <"$INSIDE/files")
[ -z "$left" ] || fail "They leave: $left"
say "Everything is as it should be."
