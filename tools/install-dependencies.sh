#!/usr/bin/env bash
# Installs missing dependencies of building, testing and running Cutroom with apt, through sudo
# unless root. Swift itself is only checked. If nothing is missing, the script does nothing.
# usage: install-dependencies.sh [--tests | --sweeps | --packages | --packages-test]
#   The options add the dependencies of the tests, the sweeps, `make deb` or `make deb-test`.
set -euo pipefail

packages=(
  ffmpeg libavcodec-dev libavformat-dev libavutil-dev libswscale-dev libswresample-dev libwebp-dev # media
  libavdevice-dev libpulse-dev libasound2-dev libxcb1-dev                                             # recording
  libebur128-dev                                                                                      # loudness
  liblua5.4-dev                                                                                       # scripts
  libzmq3-dev nettle-dev                                                                              # messages, hashes
  libgnutls28-dev                                                                                     # the page over HTTPS
  libsqlite3-dev                                                                                      # the server's journal
  libpango1.0-dev libcairo2-dev pkg-config                                                            # titles
  libass-dev                                                                                          # subtitles of ASS
  fonts-dejavu-core fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji                             # every script's letters
  libseccomp-dev                                                                                      # isolation of plugins
  libpng-dev libjpeg-dev                                                                              # chroma key's image
  libopencv-objdetect-dev libopencv-imgproc-dev libopencv-video-dev libopencv-calib3d-dev opencv-data # faces, camera motion
  libavfilter-dev                                                                                     # chains of filters as effects
  time python3 g++                                                                                        # tests, benchmarks
)

case ${1:-} in
  --tests) packages+=(frei0r-plugins swh-plugins cmt tap-plugins chromium xvfb pulseaudio libasound2-plugins) ;; # other people's plugins, a browser, a screen, sound
  --sweeps) packages+=(frei0r-plugins swh-plugins cmt tap-plugins chromium xvfb pulseaudio libasound2-plugins slurm-wlm munge iproute2) ;; # and a cluster and a network of this machine
  --packages) packages+=(dpkg-dev libcurl4-openssl-dev) ;; # see the Makefile's `deb`
  --packages-test) packages+=(debootstrap lintian iproute2) ;;
esac

swift=${SWIFT:-swift}
if ! command -v "$swift" >/dev/null; then
  echo "Swift is not installed (or not in PATH). Get Swift 6.2 or newer from https://www.swift.org/install/linux/" >&2
  exit 1
fi
version=$("$swift" --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
if [ -z "$version" ] || [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" != 6.2 ]; then
  echo "Cutroom needs Swift 6.2 or newer, and '$swift' is ${version:-of an unknown version}. Get one from https://www.swift.org/install/linux/" >&2
  exit 1
fi

if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian or a derivative, so the libraries that Cutroom needs are not checked; see docs/licenses.md for them." >&2
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and without sudo only root can install them: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
