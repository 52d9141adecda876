import TestSupport
import Testing
import Values

@testable import Draft

/// Each warning with its exact sentence, and what is near to it and none.
@Suite struct WarningTests {
    private func expect(
        _ draft: Draft, _ catalog: Catalog = RandomDraft.catalog, _ sentences: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(draft.validate(catalog) == [], sourceLocation: sourceLocation)
        #expect(draft.warnings(catalog).map(\.description) == sentences, sourceLocation: sourceLocation)
    }

    @Test func `ranges that reach past an end`() {
        var clip = Clip.sound(8, 5)
        clip.effects = [.look(range(1, 3)), .look(range(0, 2.05))]
        var music = AudioClip(path: "/m/music.m4a")
        music.effects = [.sound("org.test.echo", [:], range(19, 2))]
        var loop = music
        loop.loops = true
        expect(
            Draft(
                [clip], effects: [.look(range(1, 4)), .speed(Rational(2), range(0, 9)), .look(range(0, 1.1))],
                audio: [music, loop]),
            RandomDraft.catalog,
            "clip 1: its range 8–13 s reaches past the end of its media at 10 s; what is there is used",
            "clip 1, effect 1 (lut): its range 1–4 s reaches past the end of the clip at 2 s; what is there is used",
            "audio 1, effect 1 (org.test.echo): its range 19–21 s reaches past the end of the clip at 20 s; what is there is used",
            "effect 1 (lut): its range 1–5 s reaches past the end of the timeline before it at 2 s; what is there is used",
            "effect 2 (speed): its range 0–9 s reaches past the end of the timeline before it at 2 s; what is there is used"
        )
    }

    @Test func `a volume that is a percentage`() {
        var (clip, music) = (Clip.sound(), AudioClip(path: "/m/music.m4a"))
        clip.volume = .constant(50)
        music.volume = .keyframes([Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(1), value: [100])])
        let loud = Draft([clip], audio: [music])
        expect(
            loud, RandomDraft.catalog,
            "clip 1: ‘volume’ is 50, which is 34 dB louder than the file; 50 % of its level is 0.5",
            "audio 1: ‘volume’ is 100, which is 40 dB louder than the file; 100 % of its level is 1")
        clip.volume = .constant(10)
        expect(Draft([clip]))
    }

    private func sticker(_ rect: Animated) -> Effect {
        Effect(.picture(.sticker(Sticker(path: "/m/emoji.png", rect: rect))))
    }

    @Test func `pictures and texts beside the canvas`() {
        func keys(_ a: [Double], _ b: [Double], _ easing: Easing = .linear) -> Animated {
            .keyframes([Keyframe(time: .zero, value: a, easing: easing), Keyframe(time: seconds(1), value: b)])
        }
        var title = Title("x")
        (title.x, title.y) = (.center, .pixels(360))
        var left = Title("x")
        (left.x, left.width) = (.pixels(-200), 200)
        let overlay = SourceOverlay(
            PluginEffect(effectID: "org.test.made"), rect: Rect(x: -50, y: 0, width: 50, height: 9))
        let outside = "lies outside the canvas, which is 640×360"
        expect(
            Draft(
                [.sound()],
                effects: [
                    sticker(.constant([640, 0, 9, 9])), sticker(.constant([0, -9, 9, 9])),
                    sticker(.constant([639, 359, 9, 9])),
                    sticker(keys([-9, 0, 9, 9], [640, 0, 9, 9])), sticker(keys([-9, 0, 9, 9], [640, 0, 9, 9], .hold)),
                    // Past the corner, and through it.
                    sticker(keys([600, -100, 9, 9], [800, 100, 9, 9])),
                    sticker(keys([500, -60, 9, 9], [700, 140, 9, 9])),
                    Effect(.picture(.title(title))), Effect(.picture(.title(left))),
                    Effect(.picture(.overlay(overlay))),
                ]),
            RandomDraft.catalog,
            "effect 1 (sticker): \(outside), all the time", "effect 2 (sticker): \(outside), all the time",
            "effect 5 (sticker): \(outside), all the time", "effect 6 (sticker): \(outside), all the time",
            "effect 8 (title): \(outside)", "effect 9 (title): \(outside)",
            "effect 10 (org.test.made): \(outside), all the time")
    }

    @Test func `a font that the workers lack`() {
        var (title, other) = (Title("x"), Title("y"))
        (title.font, other.font) = ("Bookmann Bold", "Sans")
        var catalog = RandomDraft.catalog
        catalog.substitutes = [TitleFont("Bookmann Bold"): "DejaVu Sans"]
        let draft = Draft([.sound()], effects: [Effect(.picture(.title(title))), Effect(.picture(.title(other)))])
        #expect(draft.fonts == [TitleFont("Bookmann Bold"), TitleFont("Sans")])
        expect(
            draft, catalog, "effect 1 (title): there is no font ‘Bookmann Bold’ here; ‘DejaVu Sans’ is used")
    }

    // MARK: Text that leaves the canvas

    @Test func `a title that lies still is measured once, whatever it looks like`() {
        var (plain, other, moving, still) = (Title("x"), Title("x"), Title("x"), Title("x"))
        (other.opacity, other.outlineWidth) = (.constant(0.5), 3)
        moving.path = .init(
            position: .keyframes([.init(time: .zero, value: [0, 0]), .init(time: seconds(1), value: [9, 9])]))
        still.path = .init(scale: .constant(2))
        let effects = [plain, other, moving, still, Title(" ")].map { Effect(.picture(.title($0))) }
        let placed = Draft([.sound()], effects: effects).placedTitles(RandomDraft.catalog)
        #expect(placed.map(\.title.path).filter { $0 == nil }.count == 1 && placed.count == 2)
        #expect(placed.allSatisfy { $0.canvas == Canvas.Size(width: 640, height: 360) })
        let many = (0..<5000).map { Effect(.picture(.title(Title("title \($0)")))) }
        #expect(Draft([.sound()], effects: many).placedTitles(RandomDraft.catalog).count == 2000)
    }

    @Test func `a text that leaves the canvas, where it is not meant to`() throws {
        func draft(_ edit: (inout Title) -> Void = { _ in }) -> Draft {
            var title = Title("x")
            edit(&title)
            var effect = Effect(.picture(.title(title)))
            effect.range = range(0, 1)
            return Draft([.sound()], effects: [effect])
        }
        let placed = try #require(draft().placedTitles(RandomDraft.catalog).first)
        var catalog = RandomDraft.catalog
        func overhang(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int, isAll: Bool = false) {
            catalog.overhangs[placed] = .init(left: left, top: top, right: right, bottom: bottom, isAll: isAll)
        }
        func says(_ sides: String) -> String {
            "effect 1 (title): its text leaves the canvas, which is 640×360, by \(sides); move it, make it smaller or give it a "
                + "narrower ‘width’"
        }
        expect(draft(), catalog)
        overhang(0, 0, 120, 0)
        expect(draft(), catalog, says("120 pixels at the right"))
        overhang(1, 0, 0, 3)
        expect(draft(), catalog, says("1 pixel at the left and 3 at the bottom"))
        overhang(0, 50, 0, 900)
        func entrance(_ kind: Entrance.Kind) -> Entrance { Entrance(kind, duration: seconds(0.2)) }
        // Credits roll over the canvas, a ticker runs over it.
        expect(draft { $0.enter = entrance(.slideUp) }, catalog)
        expect(draft { $0.leave = entrance(.slideDown) }, catalog)
        expect(draft { $0.enter = entrance(.slideLeft) }, catalog, says("50 pixels at the top and 900 at the bottom"))
        overhang(0, 0, 5000, 0)
        expect(draft { $0.enter = entrance(.slideLeft) }, catalog)
        expect(draft { $0.enter = entrance(.fade) }, catalog, says("5000 pixels at the right"))
        overhang(0, 400, 0, 0, isAll: true)
        expect(draft(), catalog, "effect 1 (title): lies outside the canvas, which is 640×360")
    }

    @Test func `fonts of a text's markup, and a text that is none`() {
        var (spans, empty, boxed) = (Title(""), Title(" \n"), Title(" "))
        spans.text = "<span font='Nosuch Bold'>a</span> <span face='Nosuch'>b</span> <span face='Sans'>c</span>"
        (spans.isMarkup, boxed.background) = (true, .black)
        var hollow = Title("<b> </b>")
        hollow.isMarkup = true
        var catalog = RandomDraft.catalog
        catalog.substitutes = [TitleFont("Nosuch Bold"): "DejaVu Sans", TitleFont("Nosuch,"): "DejaVu Serif"]
        let draft = Draft([.sound()], effects: [spans, empty, boxed, hollow].map { Effect(.picture(.title($0))) })
        #expect(draft.fonts.map(\.name).sorted() == ["Nosuch Bold", "Nosuch,", "Sans", "Sans,"])
        let nothing = "has an empty text, so there is nothing to see"
        expect(
            draft, catalog, "effect 1 (title): there is no font ‘Nosuch Bold’ here; ‘DejaVu Sans’ is used",
            "effect 1 (title): there is no font ‘Nosuch’ here; ‘DejaVu Serif’ is used",
            "effect 2 (title): \(nothing)", "effect 4 (title): \(nothing)")
    }

    @Test func `a side of less than a pixel`() {
        func clip(_ width: Animated?, _ height: Animated? = nil) -> Clip {
            var (clip, place) = (Clip.sound(), Placement())
            (place.width, place.height) = (width, height)
            clip.placement = place
            return clip
        }
        let growing = Animated.keyframes([
            Keyframe(time: .zero, value: [0.1]), Keyframe(time: seconds(1), value: [100]),
        ])
        expect(
            Draft([
                clip(.constant(0.3), .constant(0.125)), clip(.constant([0, 0.3])), clip(.constant(1)), clip(growing),
            ]),
            RandomDraft.catalog,
            "clip 1: its width is 0.3, less than a pixel; a share of the canvas is written \"30%\"",
            "clip 1: its height is 0.125, less than a pixel; a share of the canvas is written \"12.5%\"")
    }

    @Test func `a speed whose keys come after the range`() {
        func clip(_ times: Double...) -> Clip {
            var clip = Clip.sound(0, 1)
            clip.timing.speed = .keyframes(times.map { Keyframe(time: seconds($0), value: [1]) })
            return clip
        }
        expect(
            Draft([clip(5, 6), clip(0.5, 6), clip(5)]), RandomDraft.catalog,
            "clip 1: the keys of ‘speed’ begin at 5 s, after its range's end at 1 s, so it never changes; their times count from the range's start"
        )
    }

    @Test func `a speed whose last key comes after the range`() {
        func clip(_ time: Double, _ speed: Double) -> Clip {
            var clip = Clip.sound(0, 1)
            clip.timing.speed = .keyframes([
                Keyframe(time: .zero, value: [1]), Keyframe(time: seconds(time), value: [speed]),
            ])
            return clip
        }
        expect(
            Draft([clip(3, 2), clip(1, 2), clip(1.01, 2), clip(3, 1)]), RandomDraft.catalog,
            "clip 1: the last key of ‘speed’, at 3 s, is after its range's end at 1 s, so its value is never reached; their times count "
                + "from the range's start")
    }

    @Test func `markup that is shown as it is written`() {
        func title(_ text: String, _ isMarkup: Bool = false) -> Effect {
            var title = Title(text)
            title.isMarkup = isMarkup
            return Effect(.picture(.title(title)))
        }
        let rest = "because it has no ‘markup = true’"
        expect(
            Draft(
                [.sound()],
                effects: [
                    title("a <b>b</b>"), title("<span color='red'><i>a</i></span>"), title("a <b>b</b>", true),
                    title("a < b > c"), title("<x>a</x>"), title("<b>a"), title("if a </b> c"), title("&amp;"),
                ]), RandomDraft.catalog,
            "effect 1 (title): its text is shown with tags such as ‘<b>’, \(rest)",
            "effect 2 (title): its text is shown with tags such as ‘<span color=\"#ff0000\">’, \(rest)")
    }

    @Test func `subtitles of which nothing is shown`() throws {
        var catalog = RandomDraft.catalog
        var info = MediaInfo(kind: .subtitles, format: "srt", identity: FileIdentity(size: 1, modified: 1, digest: "s"))
        info.subtitles = try SubtitleFile("0:01 --> 0:02\nHello\n\n0:02 --> 0:02.5\nyou\n", format: .subRip)
        catalog.media["/m/talk.srt"] = .found(info)
        func subtitles(_ shift: Double, _ range: TimeRange? = nil) -> Effect {
            var subtitles = Subtitles(path: "/m/talk.srt")
            subtitles.shift = seconds(shift)
            return Effect(.picture(.subtitles(subtitles)), range: range)
        }
        let hint = "so nothing is shown; they count from its own start, and ‘at’ moves them"
        expect(
            Draft([.sound()], effects: [subtitles(30), subtitles(0), subtitles(-3), subtitles(0, range(2, 1))]),
            catalog,
            "effect 1 (subtitles): all of its cues begin at 31 s, after its end at 3 s, \(hint)",
            "effect 3 (subtitles): all of its cues end at -0.5 s, before its beginning, \(hint)",
            "effect 4 (subtitles): all of its cues begin at 1 s, after its end at 1 s, \(hint)")
    }

    /// A number that a script has computed is not told to its last bit.
    @Test func `a volume with a rest`() {
        var clip = Clip.sound()
        clip.volume = .constant(28.799999999999997)
        expect(
            Draft([clip]), RandomDraft.catalog,
            "clip 1: ‘volume’ is 28.8, which is 29 dB louder than the file; 28.8 % of its level is 0.288")
    }

    @Test func `files are called as they were written`() {
        var names = PathNames(folder: "/edit")
        names.note("/media/a.mp4", written: "../media/a.mp4")
        names.note("/edit/b.mp4", written: "")
        let text = "‘/media/a.mp4’, ‘/edit/sub/b.mp4’, ‘/edition/c.mp4’, ‘/edit/’ and ‘/open"
        #expect(
            names.applied(to: text) == "‘../media/a.mp4’, ‘sub/b.mp4’, ‘/edition/c.mp4’, ‘/edit/’ and ‘/open")
        #expect(PathNames().applied(to: text) == text)
        var catalog = RandomDraft.catalog
        catalog.names = PathNames(folder: "/m")
        let broken = Draft([Clip(path: "/m/broken.mp4", content: .media(range: nil))])
        #expect(broken.validate(catalog).map(\.message) == ["‘broken.mp4’ is not a media file"])
    }

    @Test func `a parameter without which there is nothing to see`() {
        var catalog = RandomDraft.catalog
        let media = ParameterDescriptor(
            id: "media", kind: .path, label: "Media", unit: "",
            help: "A file with sound; without one there is silence.",
            isAnimatable: false, isExpected: true, minimum: 0, maximum: 0, initial: [], initialText: "", choices: [])
        var scope = RandomDraft.effect("org.test.scope", .pure, [media])
        scope.kind = .source
        catalog.effects.append(scope)
        func overlay(_ media: ParameterValue?) -> Effect {
            let source = PluginEffect(effectID: "org.test.scope", parameters: media.map { ["media": $0] } ?? [:])
            return Effect(.picture(.overlay(SourceOverlay(source))))
        }
        expect(
            Draft(
                [Clip(PluginEffect(effectID: "org.test.scope"), duration: seconds(1))],
                effects: [overlay(.text("")), overlay(.path("/m/font.ttf"))]), catalog,
            "clip 1: has no ‘media’ (a file with sound; without one there is silence)",
            "effect 1 (org.test.scope): has no ‘media’ (a file with sound; without one there is silence)")
    }

    @Test func `keys that all come after the end`() {
        func keys(_ times: Double...) -> Animated {
            .keyframes(times.map { Keyframe(time: seconds($0), value: [0.5]) })
        }
        var clip = Clip.sound(0, 3)
        clip.volume = keys(3, 4)
        var title = Title("x")
        title.opacity = keys(2, 3)
        expect(
            Draft(
                [clip],
                effects: [
                    Effect(.picture(.title(title)), range: range(1, 2)),
                    Effect(.picture(.title(title)), range: range(0, 2.5)),
                    .plugin("org.test.pure", ["amount": .numbers(keys(5, 6))]),
                    .plugin("org.test.pure", ["amount": .numbers(keys(5))]),
                ]), RandomDraft.catalog,
            "clip 1: the keys of ‘volume’ begin at 3 s, after its end at 3 s, so it never changes; their times count from its own start",
            "effect 1 (title): the keys of ‘opacity’ begin at 2 s, after its end at 2 s, so it never changes; their times count from its own start",
            "effect 3 (org.test.pure): the keys of ‘amount’ begin at 5 s, after its end at 3 s, so it never changes; their times count from its own start"
        )
    }

    @Test func `a filter that nothing keys`() {
        var catalog = RandomDraft.catalog
        var duck = RandomDraft.effect("org.test.duck", .sequential)
        (duck.kind, duck.isKeyed, duck.formats) = (.audioFilter, true, ["pcmf32_planar"])
        catalog.effects.append(duck)
        func music(_ range: TimeRange? = nil, at start: Double = 0) -> AudioClip {
            var music = AudioClip(path: "/m/music.m4a", startTime: seconds(start))
            music.effects = [.sound("org.test.duck", [:], range)]
            return music
        }
        let warning =
            "audio 1, effect 1 (org.test.duck): is keyed by the main track's sound, and nothing is heard of that while it acts, so it "
            + "does nothing; what is to key it must be the sound of a clip (add_clip) or of a layer, at a volume above 0, or named by its ‘key’"
        var (voice, muted) = (Clip.sound(0, 2), Clip.sound(0, 2))
        muted.volume = .constant(0)
        let silent = Clip(path: "/m/silent.mp4", content: .media(range: range(0, 2)))
        // A voice in the audio list keys nothing.
        expect(Draft([.photo(3)], audio: [music(), AudioClip(path: "/m/sound.mp4")]), catalog, warning)
        expect(Draft([muted], audio: [music()]), catalog, warning)
        expect(Draft([silent], audio: [music()]), catalog, warning)
        expect(Draft([voice], audio: [music()]), catalog)
        // The voice is heard from 2 to 4 s.
        expect(Draft([silent, voice, silent], audio: [music(range(0, 2))]), catalog, warning)
        expect(Draft([silent, voice, silent], audio: [music(range(0, 2), at: 4)]), catalog, warning)
        expect(Draft([silent, voice, silent], audio: [music(range(0, 2.5))]), catalog)
        expect(Draft([silent, voice, silent], effects: [.speed(Rational(2))], audio: [music(range(0, 1.5))]), catalog)
        voice.volume = .keyframes([Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(1), value: [1])])
        expect(Draft([voice], audio: [music()]), catalog)
        var cut = Draft([silent, voice], audio: [music()])
        cut.timeRange = range(0, 2)
        expect(cut, catalog, warning)
    }
}
