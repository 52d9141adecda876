# Everything that is done with Cutroom from a clone. Every target first installs what is missing (Debian; see
# tools/install-dependencies.sh). Swift 6.2 or newer must be there.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# Rounds of `make bench`.
RUNS ?= 5
# Cases of `make fuzz`, and what they are made from.
N ?= 2000
SEED ?= 1
# The names of the recipes that `make cookbook` renews; all of them without.
RECIPES ?=
# How long `make fuzz-messages` looks, in each of two places.
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

## test: the tests, with optimised programs, built in .build/tests; all but the wide sweeps
test: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --tests
	@SWIFT='$(SWIFT)' tools/run-tests.sh usual $(ARGS)

## test-all: the wide sweeps, which `make test` leaves out: everything shipped through every check, all kinds of files, every compiler
test-all: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --sweeps
	@SWIFT='$(SWIFT)' tools/run-tests.sh sweeps $(ARGS)

## bench: Cutroom beside one ffmpeg command, RUNS=5 rounds, and in the first beside melt and MoviePy (where installed); then the difference of the
## pictures, layers beside one ffmpeg filter graph, a small edit and an insertion, a change over a clip that plays backwards beside the same forwards, a plugin beside the same filter in libavfilter, a draft of one second, an editor that is scrubbed beside ffmpeg -ss, half an
## hour beside three minutes, the queue with jobs that do nothing, a server with 100 000 renders, a farm's nodes beside one machine (root), and the editor's page in a browser
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

## soak: what takes an hour and longer: a server that is given 100 000 renders of one frame, and does them all
soak: build
	python3 -B Benchmarks/server.py --finished 0 --renders 100000

## kernels: what each kernel costs for a picture of 1080p, with AVX2 and without, beside its plain reference
kernels: dependencies
	$(SWIFT) build -c release --target CKernels
	cc -std=gnu11 -O2 -I Sources/CKernels/include -o $(release)/kernels Benchmarks/kernels.c $(release)/CKernels.build/*.o $(release)/CPortableMath.build/*.o -lm
	$(release)/kernels

## media: renders all kinds of files, compares them with ffmpeg's pictures, and writes docs/reference/media-checks.md
media: build
	python3 -B Benchmarks/media.py --write

## effects: renders a picture with each shipped effect, measures what a frame of it costs, and writes docs/reference and docs/effects
effects: build
	python3 -B Benchmarks/effects.py --write $(ARGS)

## cookbook: renders the recipes in Scripts/cookbook, and writes their text and pictures into docs/cookbook, and the README's moving picture
cookbook: build
	python3 -B tools/cookbook.py $(RECIPES)

## frei0r: checks all frei0r plugins, and writes what it finds into the bridge's table and docs/frei0r.md; takes half an hour
frei0r: build
	@tools/install-dependencies.sh --tests
	python3 -B tools/frei0r-table.py $(ARGS)

## ladspa: checks and renders all plugins of Debian's LADSPA packages, and writes what it finds into the bridge's table and
## docs/ladspa.md; takes half an hour
ladspa: build
	@tools/install-dependencies.sh --tests
	python3 -B tools/ladspa-table.py $(ARGS)

## docs: the docs as a site with search, in the folder site; the first time, pip fetches MkDocs into .build/docs
docs:
	@tools/docs/build.sh site

## fuzz: puts N=2000 damaged files through probe and render; SEED=1 makes others
fuzz: build
	python3 -B Tests/Fuzz/fuzz.py --count $(N) --seed $(SEED)

## fuzz-messages: has libFuzzer look for inputs that the decoders of messages and of what is said of content, and the reader of documents, cannot
## take, for SECONDS=60 each, under AddressSanitizer; what it finds lies in .build/fuzz/found, and what is new to them in .build/fuzz/corpus
fuzz-messages: dependencies
	mkdir -p .build/fuzz/found $(addprefix .build/fuzz/corpus/,messages content documents)
	CUTROOM_FUZZ=1 $(SWIFT) build -c release --scratch-path .build/fuzz --product Fuzz --sanitize address
	for folder in messages content documents; do \
	  CUTROOM_FUZZ=$$folder .build/fuzz/release/Fuzz -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix=.build/fuzz/found/$$folder- .build/fuzz/corpus/$$folder Tests/Fuzz/Corpus/$$folder; \
	done

## format: rewrites the Swift sources as .swift-format says
format: dependencies
	$(SWIFT) format format --in-place --recursive --parallel $(sources)

## lint: fails where `make format` would change something, a rule is broken, a shipped effect has no picture, a page has a dead link, or prose
## has archaic words or wide lines
lint: dependencies
	$(SWIFT) format lint --strict --recursive --parallel $(sources)
	python3 -B Benchmarks/effects.py --check
	python3 -B tools/docs/check.py
	python3 -B tools/docs/check_prose.py

## install: into PREFIX=/usr/local what `make` has built, without Swift: programs, plugins, the header that plugins are written against with
## its pkg-config file, the editor's page, completions for bash, zsh and fish, and the manual's pages. DESTDIR goes before all paths
install: $(release)/cutroom
	@[ -z "$$(find Package.swift Sources Plugins -newer $(release)/cutroom -type f -print -quit)" ] || \
	  echo 'Sources are newer than what is installed here; ‘make’ builds them.' >&2
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/cutroom/plugins' '$(DESTDIR)$(PREFIX)/include/cutroom' \
	  '$(DESTDIR)$(PREFIX)/share/pkgconfig'
	install $(release)/cutroom $(release)/cutroom-worker '$(DESTDIR)$(PREFIX)/bin'
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

# Only where nothing was built yet: who installs may have another PATH than who builds.
$(release)/cutroom:
	$(MAKE) build

# Swift's runtime inside of each program. SwiftPM's own flag is for programs alone; the compiler's is for libraries too. No library looks for
# another beside itself, and programs export nothing: that is left as it is without the flag. Products are built one by one, without what only
# tests need: there is no such library of Swift's for tests. FlyingFox has a proxy that is not used, but whose type is kept, and with it
# Foundation's networking, which is libcurl's.
deb_options := -c release --scratch-path .build/deb --static-swift-stdlib -Xswiftc -static-stdlib -Xlinker --no-export-dynamic --disable-local-rpath

## deb: Debian packages that need no Swift, in out: cutroom-worker (the worker, the plugins) and cutroom (everything else). Needs no root
deb: dependencies
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages
	for product in $$($(SWIFT) package dump-package | python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["products"]))'); do \
	  if [ $$product = cutroom ]; then libraries='-Xlinker -lcurl'; else libraries=; fi; \
	  $(SWIFT) build $(deb_options) $$libraries --product $$product; \
	done
	@touch .build/deb/release/cutroom
	tools/build-packages.sh .build/deb/release out
	@ls -l out/cutroom*.deb

## deb-test: installs the packages on a bare Debian 12 (debootstrap, as root), renders there what is rendered here, compares, removes them
deb-test: deb build
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages-test
	tools/try-packages.sh out $(release)

## farm-test: follows the farm's guide (docs/farm.md) word by word on two bare Debians with a network of their own
farm-test: deb build
	@SWIFT='$(SWIFT)' tools/install-dependencies.sh --packages-test
	tools/try-farm.sh out $(release)

## sanitize: the tests under AddressSanitizer (with leak checking), then those of the modules with threads under ThreadSanitizer;
## CUTROOM_CASES bounds the random cases. The rest of the end-to-end tests is left out: they would take an hour
sanitize: dependencies
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh address --skip EndToEnd $(ARGS)
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'MessagingTests|WorkersTests|TextTests|FarmTests|HostTests|AgentTests' \
	  --skip 'EndToEnd' $(ARGS)
	CUTROOM_CASES=$${CUTROOM_CASES:-300} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'DeterminismTests|FailureTests' $(ARGS)

## sanitize-threads: the short part of `make sanitize`: the queue, its messages and its nodes under ThreadSanitizer
sanitize-threads: dependencies
	CUTROOM_CASES=$${CUTROOM_CASES:-100} SWIFT='$(SWIFT)' tools/sanitize.sh thread --filter 'MessagingTests|FarmTests|AgentTests' --skip 'EndToEnd|Sweep' $(ARGS)

clean:
	rm -rf .build out site
