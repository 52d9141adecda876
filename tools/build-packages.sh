#!/usr/bin/env bash
# Makes Debian's packages of programs that were built with Swift's runtime inside of them (see `make deb`): installs them as `make install`
# does, strips them, parts the files between the packages as tools/packages says, and finds what they depend on. Needs no root.
# usage: build-packages.sh PROGRAMS FOLDER     PROGRAMS is a build's folder; FOLDER gets the .deb files, in place of older ones
# DEBFULLNAME and DEBEMAIL name the maintainer; SOURCE_DATE_EPOCH is the time of all files (else that of the last commit).
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

# What Debian wants elsewhere than everybody: zsh looks in another folder for what packages bring.
mkdir "$work/cutroom/usr/share/zsh/vendor-completions"
mv "$work"/cutroom/usr/share/zsh/site-functions/* "$work/cutroom/usr/share/zsh/vendor-completions"
rmdir "$work/cutroom/usr/share/zsh/site-functions"
# bash reads its file, and nobody runs it.
sed -i '1{/^#!/d}' "$work/cutroom/usr/share/bash-completion/completions/cutroom"

# What is Debian's own: a control file and a changelog for its tools; licenses and examples for everybody.
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
package cutroom "$work/cutroom/usr/bin/cutroom"
