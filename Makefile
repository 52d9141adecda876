# Builds, tests, measures and packages Cutroom in a clone. Every target first installs missing
# dependencies (Debian; see tools/install-dependencies.sh). Swift 6.2 or newer must be installed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Rounds of `make bench`.
RUNS ?= 5
# The number of cases of `make fuzz`, and the seed that they are made from.
N ?= 2000
SEED ?= 1
# The names of the recipes that `make cookbook` renews. Empty: all of them.
RECIPES ?=
# How long `make fuzz-messages` runs for each of its three readers.
SECONDS ?= 60
# Extra arguments of `swift test` (ARGS="--filter DraftTests") and of the first benchmark.
ARGS ?=

release := .build/release
sources := Package.swift Sources Plugins Tests Benchmarks

.PHONY: build demo test test-all bench soak kernels media effects cookbook frei0r ladspa docs fuzz fuzz-messages format lint install deb deb-test farm-test sanitize \
  sanitize-threads clean dependencies

dependencies:
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh

## build: the programs and plugins, optimised, in .build/release
build: dependencies
	$(SWIFT) build -c release

## demo: makes its own media and renders Scripts/demo.lua into out/demo.mp4
demo: build
	@mkdir -p out
	Scripts/media.sh out/media
	$(release)/cutroom render Scripts/demo.lua -o out/demo.mp4 --set media="$(CURDIR)/out/media" --overwrite
	@seconds=$$(ffprobe -v error -show_entries format=duration -of csv=p=0 out/demo.mp4); \
	printf '\nThe video is %s, %.2f seconds long. To play it: ffplay -autoexit out/demo.mp4\n' "$(CURDIR)/out/demo.mp4" "$$seconds"

## test: runs the tests, except for the exhaustive ones, with optimised programs in .build/tests
test: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --tests
	@SWIFT='$(SWIFT)' tools/run-tests.sh usual $(ARGS)

## test-all: runs the exhaustive tests that `make test` omits
test-all: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --sweeps
	@SWIFT='$(SWIFT)' tools/run-tests.sh sweeps $(ARGS)

## bench: runs all benchmarks, with RUNS=5 rounds (docs/testing.md lists them). The benchmark of the
## farm needs root
bench: build
	python3 -B Benchmarks/short.py --runs $(RUNS) --peers $(ARGS)
	python3 -B Benchmarks/layers.py --runs $(RUNS)
	python3 -B Benchmarks/quality.py
	python3 -B Benchmarks/edit.py
	python3 -B Benchmarks/reverse.py
	python3 -B Benchmarks/plugin.py --runs $(RUNS)
	python3 -B Benchmarks/startup.py --runs $(RUNS)
	python3 -B Benchmarks/scrub.py --runs $(RUNS)
	python3 -B Benchmarks/long.py
	python3 -B Benchmarks/queue.py
	python3 -B Benchmarks/server.py
	python3 -B Benchmarks/farm.py
	@tools/install-dependencies.sh --tests
	python3 -B Benchmarks/editor.py --runs $(RUNS)
	python3 -B Benchmarks/record.py

## soak: records for half an hour, kills 50 recorders, lets a server do 100 000 renders of one frame,
## renders while processes are killed for 20 minutes, and renders 2000 random drafts; takes three
## hours and more
soak: build
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --tests
	python3 -B Benchmarks/record.py --kills 50
	python3 -B Benchmarks/record.py --minutes 30
	python3 -B Benchmarks/server.py --finished 0 --renders 100000
	CUTROOM_SOAK_SECONDS=1200 CUTROOM_SOAK_DRAFTS=2000 SWIFT='$(SWIFT)' tools/run-tests.sh sweeps --filter '/SoakTests|RandomRenderTests'

## kernels: measures each kernel for a 1080p picture: AVX2, portable and reference
kernels: dependencies
	$(SWIFT) build -c release --target CKernels
	cc -std=gnu11 -O2 -I Sources/CKernels/include -o $(release)/kernels Benchmarks/kernels.c $(release)/CKernels.build/*.o $(release)/CPortableMath.build/*.o -lm
	$(release)/kernels

## media: renders all kinds of files, compares them with ffmpeg's pictures, and writes
## docs/reference/media-checks.md
media: build
	python3 -B Benchmarks/media.py --write

## effects: renders a picture with each shipped effect, measures its cost, and writes the tables of
## docs/reference and the pictures of docs/effects
effects: build
	python3 -B Benchmarks/effects.py --write $(ARGS)

## cookbook: renders the recipes in Scripts/cookbook, writes their text and pictures into
## docs/cookbook, and renders the README's moving picture
cookbook: build
	python3 -B tools/cookbook.py $(RECIPES)

## frei0r: checks all frei0r plugins, and writes the results into the bridge's table and
## docs/frei0r.md; takes half an hour
frei0r: build
	@tools/install-dependencies.sh --tests
	python3 -B tools/frei0r-table.py $(ARGS)

## ladspa: checks and renders all plugins of Debian's LADSPA packages, and writes the results into
## the bridge's table and docs/ladspa.md; takes half an hour
ladspa: build
	@tools/install-dependencies.sh --tests
	python3 -B tools/ladspa-table.py $(ARGS)

## docs: builds the docs as a site with search, in the folder site. At the first run, pip installs
## MkDocs into .build/docs
docs:
	@tools/docs/build.sh site

## fuzz: probes and renders N=2000 damaged files; another SEED (1) makes other files
fuzz: build
	python3 -B Tests/Fuzz/fuzz.py --count $(N) --seed $(SEED)

## fuzz-messages: fuzzes the decoders of messages, those of content messages, and the reader of
## documents with libFuzzer and AddressSanitizer, for SECONDS=60 each. Inputs that fail are in
## .build/fuzz/found, new inputs in .build/fuzz/corpus
fuzz-messages: dependencies
	mkdir -p .build/fuzz/found $(addprefix .build/fuzz/corpus/,messages content documents)
	CUTROOM_FUZZ=1 $(SWIFT) build -c release --scratch-path .build/fuzz --product Fuzz --sanitize address
	for folder in messages content documents; do \
	  CUTROOM_FUZZ=$$folder .build/fuzz/release/Fuzz -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix=.build/fuzz/found/$$folder- .build/fuzz/corpus/$$folder Tests/Fuzz/Corpus/$$folder; \
	done

## format: formats the Swift sources by .swift-format
format: dependencies
	$(SWIFT) format format --in-place --recursive --parallel $(sources)

## lint: fails if `make format` would change something, a rule is broken, a target's imports differ
## from its dependencies, a shipped effect has no picture, a page has a dead link, or prose has
## archaic words or wide lines
lint: dependencies
	$(SWIFT) format lint --strict --recursive --parallel $(sources)
	python3 -B tools/check-imports.py
	python3 -B Benchmarks/effects.py --check
	python3 -B tools/docs/check.py
	python3 -B tools/docs/check_prose.py

## install: installs the results of `make` into PREFIX=/usr/local; needs no Swift. These are the
## programs, the plugins, the plugin header with its pkg-config file, the editor's page, systemd's
## units, completions for bash, zsh and fish, and the manual. DESTDIR is put before all paths
install: $(release)/cutroom
	@[ -z "$$(find Package.swift Sources Plugins -newer $(release)/cutroom -type f -print -quit)" ] || \
	  echo 'Sources are newer than what is installed here; ‘make’ builds them.' >&2
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/cutroom/plugins' '$(DESTDIR)$(PREFIX)/include/cutroom' \
	  '$(DESTDIR)$(PREFIX)/share/pkgconfig'
	install $(release)/cutroom $(release)/cutroom-worker '$(DESTDIR)$(PREFIX)/bin'
	install $(release)/cutroom-recorder '$(DESTDIR)$(PREFIX)/lib/cutroom'
	install -m 644 $(release)/libcutroom_plugin_*.so '$(DESTDIR)$(PREFIX)/lib/cutroom/plugins'
	install -d '$(DESTDIR)$(PREFIX)/share/cutroom/editor'
	cp -R --no-preserve=mode,ownership Sources/Editor/Page/. '$(DESTDIR)$(PREFIX)/share/cutroom/editor'
	install -m 644 Sources/PluginABI/include/cutroom/*.h '$(DESTDIR)$(PREFIX)/include/cutroom'
	sed 's|@PREFIX@|$(PREFIX)|' Plugins/cutroom-plugin.pc.in >'$(DESTDIR)$(PREFIX)/share/pkgconfig/cutroom-plugin.pc'
	install -d '$(DESTDIR)$(PREFIX)/lib/systemd/system' '$(DESTDIR)$(PREFIX)/lib/systemd/user' '$(DESTDIR)$(PREFIX)/lib/sysusers.d'
	sed 's|@PREFIX@|$(PREFIX)|' tools/packages/systemd/cutroom.service.in >'$(DESTDIR)$(PREFIX)/lib/systemd/system/cutroom.service'
	sed 's|@PREFIX@|$(PREFIX)|' tools/packages/systemd/cutroom-user.service.in >'$(DESTDIR)$(PREFIX)/lib/systemd/user/cutroom.service'
	install -m 644 tools/packages/systemd/cutroom-user.socket '$(DESTDIR)$(PREFIX)/lib/systemd/user/cutroom.socket'
	install -m 644 tools/packages/systemd/cutroom.sysusers '$(DESTDIR)$(PREFIX)/lib/sysusers.d/cutroom.conf'
	tools/install-share.sh $(release)/cutroom '$(DESTDIR)$(PREFIX)/share'

# Runs only if nothing was built yet: the user that installs may have another PATH.
$(release)/cutroom:
	$(MAKE) build

# The Swift runtime is linked into each program. SwiftPM's flag does that for programs, the
# compiler's for libraries too. The last two options keep what holds without the first: programs
# export nothing, and no library searches for others beside itself.
# Products are built one by one, because Swift's testing library cannot be linked statically.
# FlyingFox contains an unused proxy type, which keeps Foundation's networking and thus libcurl.
deb_options := -c release --scratch-path .build/deb --static-swift-stdlib -Xswiftc -static-stdlib -Xlinker --no-export-dynamic --disable-local-rpath

## deb: builds Debian packages that need no Swift, in out: cutroom-worker (the worker, the plugins)
## and cutroom (everything else). Needs no root
deb: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages
	for product in $$($(SWIFT) package dump-package | python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["products"]))'); do \
	  if [ $$product = cutroom ]; then libraries='-Xlinker -lcurl'; else libraries=; fi; \
	  $(SWIFT) build $(deb_options) $$libraries --product $$product; \
	done
	@touch .build/deb/release/cutroom
	tools/build-packages.sh .build/deb/release out
	@ls -l out/cutroom*.deb

## deb-test: installs the packages on a bare Debian 12 (debootstrap, as root), compares its renders
## with those of this machine, and removes the packages
deb-test: deb build
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages-test
	tools/try-packages.sh out $(release)

## farm-test: runs the commands of docs/farm.md on two bare Debian systems with their own network
farm-test: deb build
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages-test
	tools/try-farm.sh out $(release)

## sanitize: runs the tests under AddressSanitizer (with leak checks), then those of the modules
## with threads under ThreadSanitizer. CUTROOM_CASES bounds the random cases. Most end-to-end tests
## are omitted, because they would take an hour
sanitize: dependencies
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh address --skip EndToEnd $(ARGS)
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'MessagingTests|WorkersTests|SoundTests|TextTests|FarmTests|HostTests|AgentTests' \
	  --skip 'EndToEnd' $(ARGS)
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'DeterminismTests|FailureTests' $(ARGS)

## sanitize-threads: runs the short part of `make sanitize`: the queue, its messages and its nodes
## under ThreadSanitizer
sanitize-threads: dependencies
	CUTROOM_CASES=$${CUTROOM_CASES:-100} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'MessagingTests|FarmTests|AgentTests' --skip 'EndToEnd|Sweep' $(ARGS)

clean:
	rm -rf .build out site
