#!/usr/bin/env bash
# Makes Debian packages from programs that contain the Swift runtime (see `make deb`). Installs them
# like `make install`, strips them, assigns the files to packages by the lists in tools/packages,
# and finds the dependencies. Needs no root.
# usage: build-packages.sh PROGRAMS FOLDER
#   PROGRAMS: the folder of the build
#   FOLDER: gets the .deb files, which replace older ones
# DEBFULLNAME and DEBEMAIL name the maintainer. SOURCE_DATE_EPOCH is the time of all files (default:
# the time of the last commit).
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:?usage: build-packages.sh PROGRAMS FOLDER} folder=${2:?usage: build-packages.sh PROGRAMS FOLDER}
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH LC_ALL=C
version=$("$programs/cutroom" --version)
version=${version##* }

# Files, as they are installed.
make --no-print-directory install release="$programs" PREFIX=/usr DESTDIR="$work/installed" >/dev/null
tools/packages/split.sh "$work/installed/usr" "$work"

# On Debian, zsh looks for the completions of packages in another folder.
mkdir "$work/cutroom/usr/share/zsh/vendor-completions"
mv "$work"/cutroom/usr/share/zsh/site-functions/* "$work/cutroom/usr/share/zsh/vendor-completions"
rmdir "$work/cutroom/usr/share/zsh/site-functions"
# bash sources this file; it is not a program.
sed -i '1{/^#!/d}' "$work/cutroom/usr/share/bash-completion/completions/cutroom"

# Files that only Debian needs (control file, changelog), and licenses and examples.
mkdir "$work/debian"
maintainer=$(sed -n 's/^Maintainer: //p' tools/packages/control)
maintainer="${DEBFULLNAME:-${maintainer% <*}} <${DEBEMAIL:-$(sed 's/.*<//; s/>$//' <<<"$maintainer")}>"
sed "s|^Maintainer: .*|Maintainer: $maintainer|" tools/packages/control >"$work/debian/control"
cat >"$work/debian/changelog" <<CHANGELOG
cutroom ($version) bookworm; urgency=medium

  * Version $version of Cutroom.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
for name in cutroom cutroom-worker; do
  documents=$work/$name/usr/share/doc/$name
  mkdir -p "$documents"
  cp tools/packages/copyright "$documents"
  gzip -9n <"$work/debian/changelog" >"$documents/changelog.gz"
  gzip -9n "$work/$name"/usr/share/man/man1/*
done
mkdir "$work/cutroom/usr/share/doc/cutroom/examples"
cp Scripts/*.lua Scripts/media.sh "$work/cutroom/usr/share/doc/cutroom/examples"
mkdir "$work/cutroom/usr/share/doc/cutroom/examples/cookbook"
cp Scripts/cookbook/*.lua Scripts/cookbook/media.sh "$work/cutroom/usr/share/doc/cutroom/examples/cookbook"

package() { # NAME BINARY…
  local name=$1
  shift
  mkdir "$work/$name/DEBIAN"
  strip --strip-unneeded --remove-section=.comment --remove-section=.note "$@"
  python3 -B tools/packages/same_bytes.py "$@"
  (cd "$work" && dpkg-shlibdeps -T"$work/$name.substvars" --warnings=1 "${@/#/-e}")
  (cd "$work/$name" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
  (cd "$work" && dpkg-gencontrol -p"$name" -P"$work/$name" -T"$work/$name.substvars" -f"$work/files")
  dpkg-deb --root-owner-group -Zxz --build "$work/$name" "$folder"
}
mkdir -p "$folder"
rm -f "$folder"/cutroom_*.deb "$folder"/cutroom-worker_*.deb
package cutroom-worker "$work/cutroom-worker/usr/bin/cutroom-worker" "$work"/cutroom-worker/usr/lib/cutroom/plugins/*.so
package cutroom "$work/cutroom/usr/bin/cutroom" "$work/cutroom/usr/lib/cutroom/cutroom-recorder"
