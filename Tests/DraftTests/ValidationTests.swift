import TestSupport
import Testing
import Values

@testable import Draft

/// Each rule with its exact sentence.
@Suite struct ValidationTests {
    private func problems(_ draft: Draft, _ catalog: Catalog = RandomDraft.catalog) -> [String] {
        draft.validate(catalog).map(\.description)
    }

    private func expect(_ draft: Draft, _ sentences: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(problems(draft) == sentences, sourceLocation: sourceLocation)
        let composes = (try? Timeline(draft, catalog: RandomDraft.catalog)) != nil
        #expect(composes == sentences.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func aGoodDraftHasNone() {
        expect(
            Draft(
                [.sound(), .photo(2)], effects: [.look(), .plugin("org.test.pure", ["amount": .numbers(.constant(1))])])
        )
    }

    // MARK: The draft

    @Test func hdrCanvas() {
        var draft = Draft([.sound()], effects: [.look(), .plugin("org.test.pure", ["amount": .numbers(.constant(1))])])
        draft.canvas.color = .hlg
        var catalog = RandomDraft.catalog
        let index = catalog.effects.firstIndex { $0.id == "org.test.pure" } ?? 0
        catalog.effects[index].formats = ["yuv420p8", "rgba8"]
        #expect(
            problems(draft, catalog) == [
                "effect 2 (org.test.pure): the canvas is HLG, but ‘org.test.pure’ works with 8 bits only (yuv420p8, rgba8); leave it out, "
                    + "or the canvas's ‘color’ at \"sdr\""
            ])
        catalog.effects[index].formats.append("rgbaf32")
        #expect(problems(draft, catalog) == [])
    }

    @Test func draft() {
        expect(Draft([]), "draft: has no clips; add one with add_clip or add_image, or sound with add_audio")
        var draft = Draft([.sound(0, 3)])
        draft.timeRange = range(3, 1)
        expect(draft, "draft: its time_range 3–4 s does not lie on the timeline, which is 3 s long")
        draft = Draft([.sound()])
        draft.canvas.size = Canvas.Size(width: 641, height: 360)
        expect(draft, "draft: the size is 641×360, but each side must be even and lie between 16 and 8192 pixels")
        draft.canvas = Canvas(frameRate: Rational(241))
        expect(draft, "draft: ‘fps’ is 241, but must lie between 1 and 240 frames per second")
        draft.canvas = Canvas(frameRate: Rational(9_007_199_254_740_993, 400_000_000_000_000))
        expect(
            draft, "draft: ‘fps’ is 9007199254740993/400000000000000, but must be a fraction of numbers up to 100000000"
        )
    }

    @Test func idsAreUniqueInTheirList() {
        var (a, b) = (Clip.sound(), Clip.photo(1))
        (a.id, b.id) = ("x", "x")
        b.origin = Origin(file: "edit.lua", line: 4)
        var (music, look) = (AudioClip(path: "/m/music.m4a", id: "x"), Effect.look())
        look.id = "x"
        music.startTime = seconds(1)
        expect(Draft([a, b], effects: [look], audio: [music]), "edit.lua:4: clip 2: has the id ‘x’, as clip 1 has")
        expect(
            Draft([a], effects: [look, .look(), look], audio: [music, music]),
            "audio 2: has the id ‘x’, as audio 1 has", "effect 3: has the id ‘x’, as effect 1 has")
    }

    // MARK: Clips

    @Test func clips() {
        func one(_ change: (inout Clip) -> Void, _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation)
        {
            var clip = Clip.sound(0, 3)
            clip.id = "a"
            change(&clip)
            expect(Draft([clip]), sentence, sourceLocation: sourceLocation)
        }
        one({ $0.path = "/m/broken.mp4" }, "clip 1 (a): ‘/m/broken.mp4’ is not a media file")
        one({ $0.path = "/m/nowhere.mp4" }, "clip 1 (a): ‘/m/nowhere.mp4’ has not been probed")
        one({ $0.path = "/m/music.m4a" }, "clip 1 (a): ‘/m/music.m4a’ has no picture; use add_audio for sound")
        one({ $0.path = "/m/photo.jpg" }, "clip 1 (a): ‘/m/photo.jpg’ is a still image; use add_image with a duration")
        one(
            { $0.content = .image(duration: seconds(1)) },
            "clip 1 (a): ‘/m/sound.mp4’ is not a still image; use add_clip")
        one(
            { $0.content = .media(range: range(10, 1)) },
            "clip 1 (a): its range starts at 10 s, but the media is only 10 s long")
        one({ $0.speed = .zero }, "clip 1 (a): the speed is 0, but must lie between 0.01 and 100")
        one({ $0.speed = Rational(-1) }, "clip 1 (a): the speed is -1, but must lie between 0.01 and 100")
        one({ $0.speed = Rational(201, 2) }, "clip 1 (a): the speed is 201/2, but must lie between 0.01 and 100")
        one({ $0.volume = .constant(-1) }, "clip 1 (a): ‘volume’ is -1, but must lie between 0 and 100")
        one(
            { $0.volume = .constant([1, 2]) },
            "clip 1 (a): ‘volume’ is a list of 2 numbers, but must be one number between 0 and 100, or keyframes such as "
                + "{ { 0, 1 }, { 2, 0.5 } }")
        one(
            { $0.volume = .constant(.nan) },
            "clip 1 (a): ‘volume’ is 0/0, which is not a number, but must lie between 0 and 100")
        one(
            { ($0.fadeIn, $0.fadeOut) = (seconds(2), seconds(1.5)) },
            "clip 1 (a): its fades of 2 s and 1.5 s do not fit its 3 s")
        one(
            { $0.transition = Transition(duration: seconds(1)) },
            "clip 1 (a): the first clip has nothing to make a transition from; leave ‘transition’ out")
        one(
            { $0.effects = [.speed(Rational(2))] },
            "clip 1 (a), effect 1 (speed): changes time, so it belongs in the draft's effect list; a clip has a ‘speed’ of its own"
        )
        one(
            { $0.effects = [.look(range(3, 1))] },
            "clip 1 (a), effect 1 (lut): its range 3–4 s does not lie in the clip, which lasts 3 s")
        expect(Draft([.photo(0)]), "clip 1: is shown for no time")
        expect(
            Draft([.sound(0, 1e-9, speed: Rational(100))]),
            "clip 1: lasts 0 s, but must last longer than 0 and at most 100 days")
    }

    @Test func transitions() {
        expect(
            Draft([.sound(0, 3), .sound(0, 2, transition: 2), .sound(0, 1, transition: 1)]),
            "clip 2: its transitions (2 s at its head and 1 s at its tail) do not fit its duration of 2 s")
        expect(Draft([.sound(0, 3), .sound(0, 2, transition: 1), .sound(0, 1, transition: 1)]))
        expect(
            Draft([.sound(0, 1), .sound(0, 2, transition: 1.5)]),
            "clip 1: its transitions (1.5 s at its tail) do not fit its duration of 1 s")
        expect(
            Draft([.sound(0, 3), .sound(0, 1, transition: 1.5)]),
            "clip 2: its transition of 1.5 s is longer than the clip itself, which lasts 1 s")
        expect(
            Draft([.sound(0, 3), .sound(0, 1, transition: -1)]),
            "clip 2: its transition lasts -1 s, but must last longer than 0")
    }

    @Test func aHundredDays() {
        let long = Clip(path: "/m/photo.jpg", content: .image(duration: Time.longest))
        expect(Draft([long]))
        expect(Draft([long, long]), "clip 2: makes the main track longer than 100 days")
        expect(Draft([long], effects: [.repeat(2)]), "effect 1 (repeat): makes the timeline longer than 100 days")
        expect(Draft([long], effects: [.repeat(10_000)]), "effect 1 (repeat): makes the timeline longer than 100 days")
        expect(
            Draft([long], effects: [.speed(Rational(1, 2))]),
            "effect 1 (speed): makes the timeline longer than 100 days")
        // A hostile length in a file's header.
        var catalog = RandomDraft.catalog
        var info = catalog.info("/m/sound.mp4")
        info?.video?.duration = Time(flicks: 1 << 61)
        info?.audio?.duration = Time(flicks: 1 << 61)
        catalog.media["/m/sound.mp4"] = info.map { .found($0) }
        var whole = Clip(path: "/m/sound.mp4")
        whole.speed = Rational(1, 100)
        let music = AudioClip(path: "/m/sound.mp4")
        #expect(
            problems(Draft([whole], audio: [music]), catalog) == [
                "clip 1: lasts 3267918096.958 s, but must last longer than 0 and at most 100 days",
                "audio 1: lasts 3267918096.958 s, but must last longer than 0 and at most 100 days",
            ])
    }

    // MARK: Audio

    @Test func audio() {
        func one(
            _ change: (inout AudioClip) -> Void, _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            var clip = AudioClip(path: "/m/music.m4a", id: "m")
            clip.range = range(0, 3)
            change(&clip)
            expect(Draft([.sound()], audio: [clip]), sentence, sourceLocation: sourceLocation)
        }
        one({ $0.path = "/m/silent.mp4" }, "audio 1 (m): ‘/m/silent.mp4’ has no sound")
        one({ $0.path = "/m/nowhere" }, "audio 1 (m): ‘/m/nowhere’ has not been probed")
        one({ $0.startTime = seconds(-1) }, "audio 1 (m): starts at -1 s, but must not start before 0")
        one(
            { $0.range = range(18, 3) },
            "audio 1 (m): its range 18–21 s does not lie inside its media, which is 20 s long")
        one({ $0.speed = Rational(1, 101) }, "audio 1 (m): the speed is 1/101, but must lie between 0.01 and 100")
        one(
            { ($0.speed, $0.keepsPitch) = (Rational(7), false) },
            "audio 1 (m): the speed is 7, but without ‘keep_pitch’ it must lie between 0.125 and 6")
        one({ $0.volume = .constant(101) }, "audio 1 (m): ‘volume’ is 101, but must lie between 0 and 100")
        one(
            { ($0.fadeIn, $0.fadeOut) = (seconds(2), seconds(2)) },
            "audio 1 (m): its fades of 2 s and 2 s do not fit its 3 s")
        one(
            { ($0.loops, $0.range) = (true, range(0, 0.05)) },
            "audio 1 (m): loops over 0.05 s, but a loop must last at least 0.1 s")
    }

    // MARK: Effects

    @Test func `one effect passes everything through, and it is the last`() {
        func passing(_ effect: Effect) -> Effect {
            var effect = effect
            effect.isPassThrough = true
            return effect
        }
        let look = passing(.look())
        expect(Draft([.sound(0, 3)], effects: [.repeat(2), .look(range(5, 1)), look]))
        expect(
            Draft([.sound(0, 3)], effects: [look, .repeat(2)]),
            "effect 1 (lut): has ‘pass_through’, so it must be the last, but effect 2 (repeat) comes after it")
        expect(
            Draft([.sound(0, 3)], effects: [look, look]),
            "effect 1 (lut): has ‘pass_through’, and so has effect 2 (lut); a draft has at most one such effect")
        expect(
            Draft([.sound(0, 3)], effects: [passing(.look(range(1, 1)))]),
            "effect 1 (lut): has the range 1–2 s, but a ‘pass_through’ effect acts on the whole timeline; leave one out"
        )
        expect(
            Draft([.sound(0, 3)], effects: [passing(.repeat(2))]),
            "effect 1 (repeat): changes time, so it cannot be the ‘pass_through’ effect, which acts after that")
        var clip = Clip.sound(0, 3)
        clip.effects = [look]
        var music = AudioClip(path: "/m/music.m4a")
        music.effects = [passing(.sound("org.test.echo"))]
        expect(
            Draft([clip], audio: [music]),
            "clip 1, effect 1 (lut): has ‘pass_through’, which is for an entry of the draft's effect list",
            "audio 1, effect 1 (org.test.echo): has ‘pass_through’, which is for an entry of the draft's effect list")
    }

    @Test func effects() {
        func one(_ effect: Effect, _ sentences: String..., sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(problems(Draft([.sound(0, 3)], effects: [effect])) == sentences, sourceLocation: sourceLocation)
        }
        one(
            .look(range(3, 1)),
            "effect 1 (lut): its range 3–4 s does not lie on the timeline before it, which is 3 s long")
        one(.speed(Rational(101)), "effect 1 (speed): the factor is 101, but must lie between 0.01 and 100")
        one(.repeat(0), "effect 1 (repeat): the count is 0, but must lie between 1 and 10000")
        one(.repeat(.max), "effect 1 (repeat): the count is 9223372036854775807, but must lie between 1 and 10000")
        one(
            .plugin("org.test.purr"),
            "effect 1 (org.test.purr): no plugin has an effect ‘org.test.purr’; did you mean ‘org.test.pure’?")
        one(
            .plugin("org.test.pure", ["amuont": .numbers(.constant(1))]),
            "effect 1 (org.test.pure): has no parameter ‘amuont’; did you mean ‘amount’?")
        one(
            Effect(.picture(.lut(Look(path: "/m/photo.jpg")))),
            "effect 1 (lut): ‘/m/photo.jpg’ is 1000×750 pixels; a look-up image is 512×512 pixels (8×8 tiles of 64×64) or a Hald image"
                + " (8×8, 27×27, 64×64, …)")
        one(
            Effect(.picture(.lut(Look(path: "/m/sound.mp4", intensity: .constant(1.5))))),
            "effect 1 (lut): ‘intensity’ is 1.5, but must lie between 0 and 1",
            "effect 1 (lut): ‘/m/sound.mp4’ is not a look-up table; a look-up image is 512×512 pixels (8×8 tiles of 64×64) or a Hald"
                + " image (8×8, 27×27, 64×64, …), or a .cube file")
        one(
            Effect(.picture(.sticker(Sticker(path: "/m/music.m4a", rect: Rect(x: 0, y: 0, width: 1, height: 1))))),
            "effect 1 (sticker): ‘/m/music.m4a’ has no picture")
        var title = Title("x")
        title.opacity = .constant(2)
        one(
            Effect(.picture(.title(title)), id: "t"),
            "effect 1 (t, title): ‘opacity’ is 2, but must lie between 0 and 1")
    }

    /// What is wrong wherever the mended ranges lie is told at once; what may become right is not.
    @Test func oneWrongRangeDoesNotHideAnother() {
        var draft = Draft(
            [.sound(0, 3)], effects: [.speed(Rational(1, 2), range(9, 1)), .look(range(6, 1)), .look(range(5, 1))])
        draft.timeRange = range(60, 1)
        expect(
            draft, "effect 1 (speed): its range 9–10 s does not lie on the timeline before it, which is 3 s long",
            "effect 2 (lut): its range 6–7 s does not lie on the timeline before it, which is at most 6 s long",
            "draft: its time_range 60–61 s does not lie on the timeline, which is at most 6 s long")
        // The file lasts 10 seconds.
        draft = Draft(
            [.sound(0, 3), .sound(11, 1), .photo(2)], effects: [.repeat(2), .look(range(30, 1)), .look(range(29, 1))])
        expect(
            draft, "clip 2: its range starts at 11 s, but the media is only 10 s long",
            "effect 2 (lut): its range 30–31 s does not lie on the timeline before it, which is at most 30 s long")
        draft.effects[0] = .repeat(0)
        draft.timeRange = range(99, 1)
        expect(
            draft, "clip 2: its range starts at 11 s, but the media is only 10 s long",
            "effect 1 (repeat): the count is 0, but must lie between 1 and 10000")
        draft = Draft([Clip(path: "/m/broken.mp4")], effects: [.look(range(99, 1))])
        expect(draft, "clip 1: ‘/m/broken.mp4’ is not a media file")
        expect(Draft([]), "draft: has no clips; add one with add_clip or add_image, or sound with add_audio")
    }

    @Test func soundAndPicture() {
        let echo = Effect.sound("org.test.echo")
        var clip = Clip.sound(0, 3)
        clip.effects = [echo, .look()]
        var music = AudioClip(path: "/m/music.m4a")
        music.effects = [echo]
        expect(Draft([clip], effects: [echo, .look()], audio: [music]))
        var photo = Clip.photo(2)
        photo.effects = [echo]
        expect(Draft([photo]), "clip 1, effect 1 (org.test.echo): changes sound, and an image has none; leave it out")
        music.effects = [
            .look(), .speed(Rational(2)), .plugin("org.test.pure"), .plugin("org.test.ecko"),
            .sound("org.test.echo", ["amount": .numbers(.constant(2))]),
        ]
        expect(
            Draft([.sound(0, 3)], audio: [music]),
            "audio 1, effect 1 (lut): changes the picture, and an audio clip has none; put it into a clip's ‘effects’ or the draft's "
                + "effect list",
            "audio 1, effect 2 (speed): changes time, so it belongs in the draft's effect list; an audio clip has a ‘speed’ of its own",
            "audio 1, effect 3 (org.test.pure): ‘org.test.pure’ is a filter, but an audio filter is needed",
            "audio 1, effect 4 (org.test.ecko): no plugin has an effect ‘org.test.ecko’; did you mean ‘org.test.echo’?",
            "audio 1, effect 5 (org.test.echo): ‘amount’ is 2, but must lie between 0 and 1")
        music.effects = [.sound("org.test.echo", [:], range(4, 1))]
        music.range = range(0, 2)
        expect(
            Draft([.sound(0, 3)], audio: [music]),
            "audio 1, effect 1 (org.test.echo): its range 4–5 s does not lie in the clip, which lasts 2 s")
        music.loops = true
        expect(Draft([.sound(0, 3)], audio: [music]))
        // Sound has no colours.
        var hdr = Draft([.sound(0, 3)], effects: [echo])
        hdr.canvas.color = .hlg
        expect(hdr)
    }

    @Test func ranges() {
        // Later ranges are measured on what the entries before have made…
        expect(Draft([.sound(0, 3)], effects: [.repeat(2), .look(range(5, 1))]))
        expect(
            Draft([.sound(0, 3)], effects: [.look(range(5, 1)), .repeat(2)]),
            "effect 1 (lut): its range 5–6 s does not lie on the timeline before it, which is 3 s long")
        // … and are not judged where that is not known; what can be said is said all the same.
        expect(
            Draft([.sound(0, 3)], effects: [.repeat(0), .look(range(5, 1)), .plugin("x.y"), .speed(.zero)]),
            "effect 1 (repeat): the count is 0, but must lie between 1 and 10000",
            "effect 3 (x.y): no plugin has an effect ‘x.y’; there are layer, lut, org.test.around, org.test.echo, org.test.pure, org.test.sequential, org.test.warm, repeat, speed, sticker, subtitles, title",
            "effect 4 (speed): the factor is 0, but must lie between 0.01 and 100")
    }

    @Test func parameters() {
        func refusal(_ kind: ParameterDescriptor.Kind, _ value: ParameterValue, animatable: Bool = true) -> String? {
            var parameter = RandomDraft.amount
            (parameter.kind, parameter.isAnimatable, parameter.choices) = (kind, animatable, ["soft", "hard"])
            (parameter.minimum, parameter.maximum, parameter.unit) = (0, 10, "px")
            return parameter.refusal(of: value)
        }
        let keys = Animated.keyframes([Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(1), value: [11])])
        #expect(refusal(.double, .numbers(.constant(10))) == nil)
        #expect(refusal(.double, .numbers(keys)) == "is 11, but must lie between 0 and 10 px")
        #expect(refusal(.double, .numbers(keys), animatable: false) == "cannot change with time")
        #expect(refusal(.double, .numbers(.constant(.infinity))) == "is infinity, but must be a number")
        #expect(refusal(.double, .text("x")) == "is ‘x’, but must be a number")
        #expect(refusal(.int, .numbers(.constant(1.5))) == "is 1.5, but must be a whole number")
        #expect(refusal(.bool, .numbers(.constant(1))) == nil)
        #expect(refusal(.enum, .text("hard")) == nil)
        #expect(refusal(.enum, .text("sofd")) == "is ‘sofd’; did you mean ‘soft’?")
        #expect(refusal(.enum, .numbers(.constant(2))) == "is 2, but must be one of soft, hard")
        #expect(refusal(.color, .text("#f80")) == nil)
        #expect(
            refusal(.color, .text("reddish")) == "is ‘reddish’, but must be a colour such as \"#ff8800\" or \"orange\"")
        #expect(
            refusal(.color, .numbers(.constant([1, 1])))
                == "has 2 numbers, but must be a colour such as \"#ff8800\" or \"orange\""
        )
        #expect(refusal(.point, .numbers(.constant([1, 2]))) == nil)
        #expect(refusal(.point, .numbers(.constant(1))) == "has 1 numbers, but must be two numbers { x, y }")
        #expect(refusal(.string, .numbers(.constant(1))) == "is a number, but must be a text")
        #expect(refusal(.path, .path("/x")) == nil && refusal(.path, .text("")) == nil)
        #expect(
            refusal(.path, .text("/x")) == "is a text, but must be a file such as { \"file\": \"look.png\" }")
        #expect(refusal(.double, .path("/x")) == "is ‘/x’, but must be a number")
        var unbounded = RandomDraft.amount
        (unbounded.minimum, unbounded.maximum) = (0, 0)
        #expect(unbounded.refusal(of: .numbers(.constant(1e9))) == nil)
        #expect(unbounded.refusal(of: .numbers(.constant(.nan))) != nil)
    }

    @Test func aPluginOfAnotherKind() {
        var catalog = RandomDraft.catalog
        var source = RandomDraft.effect("org.test.source", .pure)
        source.kind = .source
        catalog.effects.append(source)
        #expect(
            problems(Draft([.sound()], effects: [.plugin("org.test.source")]), catalog) == [
                "effect 1 (org.test.source): ‘org.test.source’ is a source, but a filter or an audio filter is needed"
            ])
    }

    /// The plugin was changed since the draft was made, or its document does not tell the truth.
    @Test func anEntryOfAnotherKindThanItsPlugin() {
        let (echo, pure) = (PluginEffect(effectID: "org.test.echo"), PluginEffect(effectID: "org.test.pure"))
        let isSound = "‘org.test.echo’ is an audio filter, but the entry's kind is ‘filter’; make that ‘audio_filter’"
        let isPicture = "‘org.test.pure’ is a filter, but the entry's kind is ‘audio_filter’; make that ‘filter’"
        var clip = Clip.sound()
        clip.effects = [Effect(.picture(.filter(echo))), Effect(.sound(pure))]
        var music = AudioClip(path: "/m/music.m4a")
        music.effects = [
            Effect(.picture(.filter(echo))), Effect(.sound(pure)), Effect(.sound(PluginEffect(effectID: "x.y"))),
        ]
        var list = clip.effects + [Effect(.sound(PluginEffect(effectID: "org.test.join")))]
        list[0].origin = Origin(file: "x.cutroom")
        expect(
            Draft([clip], effects: list, audio: [music]),
            "clip 1, effect 1 (org.test.echo): \(isSound)", "clip 1, effect 2 (org.test.pure): \(isPicture)",
            "audio 1, effect 1 (org.test.echo): \(isSound)",
            "audio 1, effect 2 (org.test.pure): ‘org.test.pure’ is a filter, but an audio filter is needed",
            "audio 1, effect 3 (x.y): no plugin has an effect ‘x.y’; there are layer, lut, org.test.echo, repeat, speed, sticker, subtitles, title",
            "x.cutroom: effect 1 (org.test.echo): \(isSound)", "effect 2 (org.test.pure): \(isPicture)",
            "effect 3 (org.test.join): ‘org.test.join’ is a transition, but a filter or an audio filter is needed")
    }

    @Test func generatedClipsAndOverlays() {
        func made(_ id: String, _ amount: Double = 1) -> PluginEffect {
            PluginEffect(effectID: id, parameters: ["amount": .numbers(.constant(amount))])
        }
        var clips = [
            Clip(made("org.test.made"), duration: seconds(2)), Clip(made("org.test.made", 2), duration: seconds(1)),
        ]
        clips +=
            ["org.test.mode", "org.test.pure"].map { Clip(made($0), duration: seconds(1)) } + [
                Clip(made("org.test.made"), duration: .zero)
            ]
        clips[0].effects = [.sound("org.test.echo")]
        clips[1].transition = Transition(duration: seconds(1.5))
        let overlays = [(made("org.test.made", 3), 0.5), (made("org.test.pure"), 1), (made("org.test.made"), 1.5)].map {
            Effect(.picture(.overlay(SourceOverlay($0.0, opacity: .constant($0.1)))))
        }
        #expect(
            problems(Draft(clips, effects: overlays)) == [
                "clip 1, effect 1 (org.test.echo): changes sound, and what is generated has none; leave it out",
                "clip 2: ‘amount’ is 2, but must lie between 0 and 1",
                "clip 2: its transition of 1.5 s is longer than the clip itself, which lasts 1 s",
                "clip 3: no plugin has an effect ‘org.test.mode’; did you mean ‘org.test.made’?",
                "clip 4: ‘org.test.pure’ is a filter, but a source is needed",
                "clip 5: is shown for no time",
                "effect 1 (org.test.made): ‘amount’ is 3, but must lie between 0 and 1",
                "effect 2 (org.test.pure): ‘org.test.pure’ is a filter, but a source is needed",
                "effect 3 (org.test.made): ‘opacity’ is 1.5, but must lie between 0 and 1",
            ])
        expect(
            Draft(
                [.sound()],
                audio: [
                    {
                        var music = AudioClip(path: "/m/music.m4a")
                        music.effects = [Effect(.picture(.overlay(SourceOverlay(made("org.test.made")))))]
                        return music
                    }()
                ]),
            "audio 1, effect 1 (org.test.made): changes the picture, and an audio clip has none; put it into a clip's ‘effects’ or the draft's effect list"
        )
    }

    /// On an HDR canvas a source makes floats, or is refused.
    @Test func sourcesOnAnHDRCanvas() throws {
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.made" })
        var draft = Draft([Clip(PluginEffect(effectID: "org.test.made"), duration: seconds(1))])
        draft.canvas.color = .pq
        catalog.effects[index].formats = ["rgba8"]
        #expect(problems(draft, catalog).first?.contains("‘org.test.made’ works with 8 bits only (rgba8)") == true)
        catalog.effects[index].formats = ["rgba8", "rgbaf32"]
        #expect(problems(draft, catalog) == [])
    }

    // MARK: Bounds

    @Test func repeatsOfRepeats() {
        let short = range(0, 0.001)
        let repeats = [Effect.repeat(10_000, short), .repeat(10_000, range(0, 10))]
        expect(
            Draft([.sound(0, 3)], effects: repeats), "effect 1 (repeat): plays in more than 100000 pieces; repeat less")
        let many = (0..<300).map { _ in Clip.photo(0.02) }
        expect(
            Draft(many, effects: [.repeat(1000)]),
            "draft: its effect list plays more than 100000 stretches of clips; repeat less")
        let looks = (0..<120).map { _ in Effect.look() }
        expect(
            Draft([.sound(0, 9)], effects: looks + [.repeat(9000, short)]),
            "draft: its effects play in more than 1000000 pieces; repeat less")
        expect(Draft([.sound(0, 9)], effects: [.repeat(9000, short)] + looks))
        var loop = AudioClip(path: "/m/music.m4a")
        (loop.loops, loop.range) = (true, range(0, 0.1))
        expect(
            Draft([.photo(20_000)], audio: [loop]),
            "audio 1: loops 200000 times until the draft ends, but at most 100000 are possible")
    }

    @Test func stacksOfExtremeSpeeds() {
        let slow = (0..<12).map { _ in
            Effect.speed(Rational(1, 100), TimeRange(start: .zero, duration: Time(flicks: 2)))
        }
        expect(Draft([.sound(0, 1)], effects: slow))
        let fast = (0..<12).map { _ in Effect.speed(Rational(100)) }
        expect(Draft([.sound(0, 1)], effects: fast), "effect 5 (speed): leaves nothing of the timeline")
        let near = (0..<100).map { _ in Effect.speed(Rational(.max, .max - 1)) }
        expect(Draft([.sound(0, 1)], effects: near))
    }

    // MARK: All at once

    @Test func everyProblemIsReported() {
        var (first, second, third) = (Clip.sound(), Clip.sound(0, 1, transition: 2), Clip.sound(0, 1, transition: 2))
        first.speed = .zero
        first.path = "/m/nowhere.mp4"
        second.effects = [.plugin("a.b")]
        third.volume = .constant(-1)
        third.origin = Origin(file: "edit.lua", line: 7)
        var draft = Draft(
            [first, second, third], effects: [.repeat(0), .plugin("c.d")], audio: [AudioClip(path: "/m/silent.mp4")])
        draft.canvas.size = Canvas.Size(width: 2, height: 2)
        let names =
            "; there are layer, lut, org.test.around, org.test.echo, org.test.pure, org.test.sequential, org.test.warm, repeat, speed, sticker, subtitles, title"
        expect(
            draft,
            "draft: the size is 2×2, but each side must be even and lie between 16 and 8192 pixels",
            "clip 1: the speed is 0, but must lie between 0.01 and 100",
            "clip 1: ‘/m/nowhere.mp4’ has not been probed",
            "clip 2, effect 1 (a.b): no plugin has an effect ‘a.b’" + names,
            "clip 2: its transition of 2 s is longer than the clip itself, which lasts 1 s",
            "edit.lua:7: clip 3: ‘volume’ is -1, but must lie between 0 and 100",
            "edit.lua:7: clip 3: its transition of 2 s is longer than the clip itself, which lasts 1 s",
            "edit.lua:7: clip 2: its transitions (2 s at its head and 2 s at its tail) do not fit its duration of 1 s",
            "audio 1: ‘/m/silent.mp4’ has no sound",
            "effect 1 (repeat): the count is 0, but must lie between 1 and 10000",
            "effect 2 (c.d): no plugin has an effect ‘c.d’" + names)
    }

    /// Transitions fit two clips, so the later change of the two is the one that is told of.
    @Test func `transitions that do not fit name the line that was changed last`() {
        var (first, second) = (Clip.sound(0, 1), Clip.sound(0, 3, transition: 2))
        let line = { Origin(file: "edit.lua", line: $0) }
        (first.origin, second.origin) = (line(3), line(4))
        let message = "clip 1: its transitions (2 s at its tail) do not fit its duration of 1 s"
        expect(Draft([first, second]), "edit.lua:4: " + message)
        first.changes.note("range", at: line(5))
        expect(Draft([first, second]), "edit.lua:5: " + message)
        second.changes.note("transition", at: line(6))
        expect(Draft([first, second]), "edit.lua:6: " + message)
        first.changes.note("volume", at: line(7))
        expect(Draft([first, second]), "edit.lua:6: " + message)
    }

    @Test func warnings() {
        var draft = Draft([.sound(0, 3)], audio: [AudioClip(path: "/m/music.m4a", startTime: seconds(3), id: "m")])
        draft.timeRange = range(1, 4)
        #expect(draft.validate(RandomDraft.catalog).isEmpty)
        #expect(
            draft.warnings(RandomDraft.catalog).map(\.description) == [
                "draft: its time_range 1–5 s reaches past the end at 3 s; 1–3 s is rendered",
                "audio 1 (m): starts at 3 s, after the end at 3 s, and is not heard",
            ])
        #expect(
            Draft([]).warnings(RandomDraft.catalog).isEmpty && Draft([.sound()]).warnings(RandomDraft.catalog).isEmpty)
    }
}
