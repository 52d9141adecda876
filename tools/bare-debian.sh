# Functions that make bare Debian 12 systems in folders, for scripts that follow the instructions
# for new users. Source this file. Needs root or sudo, and a mirror of Debian (MIRROR=…). Mounts and
# processes are in namespaces of their own, which end with the script in any case.

# Runs this script again with the same arguments in namespaces of its own, with a folder $INSIDE
# that is removed at the end. Returns only inside.
# usage: in_own_namespaces WORD…
in_own_namespaces() {
  [ "$(id -u)" = 0 ] || exec sudo --preserve-env=MIRROR,TMPDIR "$0" "$@"
  [ -z "${INSIDE:-}" ] || return 0
  folder=$(mktemp -d -p "${TMPDIR:-/var/tmp}" cutroom-bare.XXXXXX)
  child=
  clean() {
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf --one-file-system "$folder"
  }
  trap clean EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  INSIDE=$folder unshare --mount --mount-proc --pid --fork --kill-child "$0" "$@" &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  exit "$status"
}

started=$SECONDS
say() { printf '%4d s  %s\n' $((SECONDS - started)) "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
quietly() { "$@" >"$INSIDE/log" 2>&1 || { cat "$INSIDE/log" >&2; fail "$*"; }; }

# Runs a command in the system in $root, as its root.
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive HOME=/root chroot "$root" "$@"; }
# The same as the user ‘editor’.
editor() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb HOME=/home/editor chroot --userspec=editor:editor "$root" "$@"; }
installs() { quietly inside apt-get install -q -y "$@" && inside apt-get clean; }

# Makes a bare Debian in $root.
bare_debian() {
  local mirror=${MIRROR:-http://deb.debian.org/debian}
  quietly debootstrap --variant=minbase bookworm "$root" "$mirror"
  printf 'deb %s %s main\n' "$mirror" bookworm "$mirror" bookworm-updates "$mirror-security" bookworm-security >"$root/etc/apt/sources.list"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  devices
  quietly inside apt-get update -q
  quietly inside apt-get upgrade -q -y
  [ -z "$(inside sh -c 'command -v swift swiftc cutroom')" ] || fail "It is not bare."
  inside apt-get clean
}

# Mounts and creates in $root what a running system has.
devices() {
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
}
