import Composition
import Delivery
import Draft
import TestSupport
import Testing
import Values

/// A segment's key changes with everything that decides its bytes, and with nothing else.
@Suite struct KeyTests {
    /// Twelve seconds, cut at 3, 4, 5, 7, 8 and 10 s.
    private func draft() -> Draft {
        var draft = Draft(
            [.sound(0, 5, id: "a"), .photo(4, transition: 1), .sound(2, 4, id: "b")],
            effects: [.title("Hello", range(0, 3)), .plugin("org.test.pure", range(5, 2), amount: .constant(0.5))])
        draft.audio = [AudioClip(path: "/m/music.m4a")]
        draft.audio[0].range = range(0, 9)
        return draft
    }

    /// The frames that an edit lets render again.
    private func changed(by edit: (inout Draft) -> Void) throws -> [Range<Int>] {
        let before = Set(try plan(draft()).keys)
        var draft = self.draft()
        edit(&draft)
        return try plan(draft).segments.filter { !before.contains($0.key) }
            .map { $0.firstFrame..<$0.firstFrame + $0.frameCount }
    }

    @Test func equalPlansHaveEqualKeys() throws {
        let (a, b) = (try plan(draft()), try plan(draft()))
        #expect(a.keys == b.keys && a.soundKey == b.soundKey && a.json == b.json)
        #expect(Set(a.keys).count == 7 && a.keys.allSatisfy { $0.count == 64 } && a.soundKey?.count == 64)
    }

    @Test func anEditChangesTheSegmentsItTouches() throws {
        let everything = [0..<90, 90..<120, 120..<150, 150..<210, 210..<240, 240..<300, 300..<360]
        #expect(try changed { $0.effects[0] = .title("Goodbye", range(0, 3)) } == [0..<90])
        let shorter = try changed { $0.effects[0] = .title("Hello", range(0, 2)) }
        #expect(shorter == [0..<60], "what comes then is the last clip's beginning, which is there")
        #expect(try changed { $0.effects[0] = .title("Hello", range(0, 3.5)) } == [0..<60, 60..<120])
        #expect(try changed { $0.effects[0] = .title("Hello", range(0, 2.99)) } == [], "no frame shows the difference")
        #expect(
            try changed { $0.effects[1] = .plugin("org.test.pure", range(5, 2), amount: .constant(0.25)) }
                == [150..<210])
        #expect(try changed { $0.clips[1].mode = .fill } == [120..<150, 150..<210, 210..<240])
        #expect(try changed { $0.clips[1].transition?.kind = .wipeUp } == [120..<150])
        #expect(
            try changed { $0.clips[2].content = .media(range: range(3, 4)) } == [240..<360],
            "another part of the last clip")
        #expect(try changed { $0.clips[2].content = .media(range: range(2, 3.9)) } == [300..<357], "a shorter tail")
        #expect(try changed { $0.effects.append(.title("x", range(11.9, 1))) } == [300..<360])
        #expect(try changed { $0.canvas.background = .white } == everything)
        #expect(try changed { $0.export.video.quality = 30 } == everything)
        #expect(try changed { $0.export.networkUse = false } == [])
        #expect(try changed { $0.export.audio.channels = 1 } == [])
    }

    @Test func `a pan changes the key of the sound, and no pan leaves it out`() throws {
        let plain = try plan(draft())
        var panned = draft()
        panned.audio[0].pan = .constant(-0.5)
        #expect(try plan(panned).soundKey != plain.soundKey && plan(panned).keys == plain.keys)
        #expect(!plain.json.contains("\"pan\"") && plain.json.contains("\"fadeIn\""))
        #expect(try plan(panned).json.contains("\"pan\""))
    }

    /// Equal content is one part, wherever and however often it is shown.
    @Test func whatStandsStillIsRenderedOnce() throws {
        let still = try plan(Draft([.photo(9)], effects: [.title("x")]))
        #expect(still.segments.map(\.frameCount) == [60, 60, 60, 90] && Set(still.keys).count == 2)
        let again = try plan(Draft([.sound(0, 4)], effects: [Effect(.repeat(5))]))
        #expect(again.segments.count == 10 && Set(again.keys).count == 2)
        // What moves does not stand still.
        let way = Animated.keyframes([
            Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(3), value: [1]),
        ])
        var title = Title("x")
        title.opacity = way
        let moving = try plan(Draft([.photo(8)], effects: [Effect(.picture(.title(title)))]))
        #expect(Set(moving.keys).count == 3, "two while it comes, and one for what stays")
    }

    /// A key of a sticker's way concerns the segments that show it.
    @Test func aStickersWayIsPartOfTheKey() throws {
        func keys(_ last: Double) throws -> [String] {
            let way = [(0.0, 0.0), (3, 100), (6, 100), (11, last)].map {
                Keyframe(time: seconds($0.0), value: [$0.1, 0, 50, 50])
            }
            let sticker = Sticker(path: "/m/emoji.png", rect: .keyframes(way))
            return try plan(Draft([.photo(12)], effects: [Effect(.picture(.sticker(sticker)))])).keys
        }
        let (a, b) = (try keys(200), try keys(210))
        let again = try keys(200)
        #expect(a.count == 6 && a == again)
        #expect(a.indices.filter { a[$0] != b[$0] } == [3, 4, 5])
    }

    /// Another canvas is another picture, with another encoding; the sound stays.
    @Test func theCanvasColorIsPartOfEveryKey() throws {
        var draft = draft()
        draft.effects.removeLast()
        let plans = try ColorSystem.allCases.map { color in
            draft.canvas.color = color
            return try plan(draft)
        }
        #expect(Set(plans.flatMap(\.keys)).count == 18 && Set(plans.map(\.soundKey)).count == 1)
        #expect(
            plans.map { $0.video?.codec } == [.h264, .hevc, .hevc]
                && plans.map { $0.video?.profile } == ["high", "main10", "main10"])
        #expect(plans[1].json.contains("\"color\" : \"hlg\""))
    }

    /// The cut between two clips moves, and all that comes later stays where it is.
    @Test func rollingACutKeepsTheRest() throws {
        let before = try plan(Draft([.sound(0, 1), .sound(4, 5)]))
        let after = try plan(Draft([.sound(0, 1.5), .sound(4.5, 4.5)]))
        #expect(after.segments.map(\.firstFrame) == [0, 45, 90] && after.keys[2] == before.keys[2])
    }

    /// The sources' highest rate is a ceiling where neither quality nor rate is asked for, by what
    /// one codec needs more than another.
    @Test func usualQualityStaysBelowTheSourcesRate() throws {
        var draft = Draft([.sound(0, 2)])
        func ceiling(_ codec: VideoCodec, source: String = "h264") throws -> Int? {
            var catalog = RandomDraft.catalog
            var info = try #require(catalog.info("/m/sound.mp4"))
            info.video?.codec = source
            info.video?.width = 640
            info.video?.height = 360
            catalog.media["/m/sound.mp4"] = .found(info)
            draft.export.video.codec = codec
            return try plan(draft, catalog).video?.maximumBitRate
        }
        for codec in VideoCodec.allCases where codec.searchRange != nil {
            #expect(try ceiling(codec) == 1_000_000, "\(codec)")
        }
        #expect(try ceiling(.h264, source: "av1") == 2_000_000 && ceiling(.vp9, source: "hevc") == 1_000_000)
        draft.export.video.quality = 30
        #expect(try ceiling(.vp9) == nil && ceiling(.av1) == nil)
    }

    /// Keyframes far away have no say.
    @Test func aLaterKeyframeChangesLaterSegments() throws {
        func keys(_ value: Double) -> Animated {
            .keyframes((0...11).map { Keyframe(time: seconds(Double($0)), value: [$0 == 9 ? value : 0.25]) })
        }
        let before = try plan(Draft([.sound(0, 10)], effects: [.plugin("org.test.pure", amount: keys(0.25))]))
        let after = try plan(Draft([.sound(0, 10)], effects: [.plugin("org.test.pure", amount: keys(0.5))]))
        #expect(before.keys.indices.filter { before.keys[$0] != after.keys[$0] } == [4])
    }

    @Test func soundAndPictureAreApart() throws {
        let before = try plan(draft())
        var louder = draft()
        louder.audio[0].volume = .constant(0.5)
        var other = draft()
        other.effects[0] = .title("Goodbye", range(0, 3))
        #expect(try plan(louder).keys == before.keys && plan(louder).soundKey != before.soundKey)
        #expect(try plan(other).soundKey == before.soundKey)
        louder = draft()
        louder.clips[0].volume = .constant(0.5)
        #expect(try plan(louder).keys == before.keys && plan(louder).soundKey != before.soundKey)
    }

    @Test func namesAndPlacesDoNotCount() throws {
        let before = try plan(draft())
        var renamed = draft()
        renamed.clips[0].id = "another"
        renamed.effects[0].id = "title"
        #expect(try plan(renamed).keys == before.keys)

        var moved = draft()
        let look = Effect(.picture(.lut(Look(path: "/m/look.png"))))
        let sticker = Effect(
            .picture(.sticker(Sticker(path: "/m/emoji.png", rect: Rect(x: 0, y: 0, width: 9, height: 9)))))
        moved.effects += [look, sticker]
        let here = try plan(moved)
        let text = moved.document(in: "/m").replacing("\"image\": \"", with: "\"image\": \"/else/")
            .replacing("\"media\": \"", with: "\"media\": \"/else/")
        var catalog = RandomDraft.catalog
        for (path, entry) in catalog.media { catalog.media["/else/" + path.dropFirst(3)] = entry }
        for index in catalog.effects.indices { catalog.effects[index].path = "/else/plugin.so" }
        let there = try plan(Draft(document: .init(text.utf8), file: "x", folder: "/m"), catalog)
        #expect(there.composition.files.allSatisfy { $0.path.hasPrefix("/else/") })
        #expect(there.keys == here.keys && there.soundKey == here.soundKey)
    }

    /// The key contains the identity of the file, the plugin and the libraries.
    @Test func identitiesCount() throws {
        let before = try plan(draft())
        var catalog = RandomDraft.catalog
        var info = catalog.info("/m/photo.jpg")
        info?.identity.modified += 1
        catalog.media["/m/photo.jpg"] = info.map { .found($0) }
        #expect(
            try zip(plan(draft(), catalog).keys, before.keys).map { $0 == $1 } == [
                true, true, false, false, false, true, true,
            ])
        catalog = RandomDraft.catalog
        catalog.effects[0].digest = "another"
        #expect(
            try zip(plan(draft(), catalog).keys, before.keys).map { $0 == $1 } == [
                true, true, true, false, true, true, true,
            ])
        let other = try plan(draft(), libraries: "libav 2")
        #expect(Set(other.keys).isDisjoint(with: before.keys) && other.soundKey != before.soundKey)
    }

    /// A font file and a plugin's file count in the segments that show them, wherever the font
    /// lies.
    @Test func filesOfEffectsCount() throws {
        func title(_ font: String) -> Effect {
            var title = Title("Hello")
            title.fontFile = font
            return Effect(.picture(.title(title)), range: range(0, 3))
        }
        var catalog = RandomDraft.catalog
        var draft = draft()
        draft.effects[0] = title("/m/font.ttf")
        draft.effects[1].kind = .picture(
            .filter(PluginEffect(effectID: "org.test.pure", parameters: ["model": .path("/m/font.ttf")])))
        catalog.effects[0].parameters.append(
            ParameterDescriptor(
                id: "model", kind: .path, label: "", unit: "", help: "", isAnimatable: false, minimum: 0, maximum: 0,
                initial: [],
                initialText: "", choices: []))
        let before = try plan(draft, catalog)
        guard case .found(var font)? = catalog.fonts["/m/font.ttf"] else { return }
        catalog.fonts["/m/copy.ttf"] = .found(font)
        draft.effects[0] = title("/m/copy.ttf")
        #expect(try plan(draft, catalog).keys == before.keys)
        font.identity.digest = "another"
        catalog.fonts["/m/copy.ttf"] = .found(font)
        #expect(
            try zip(plan(draft, catalog).keys, before.keys).map { $0 == $1 } == [
                false, true, true, true, true, true, true,
            ])
        draft.effects[0] = title("/m/font.ttf")
        (catalog.fonts["/m/font.ttf"], catalog.data["/m/font.ttf"]) = (.found(font), .found(font))
        #expect(
            try zip(plan(draft, catalog).keys, before.keys).map { $0 == $1 } == [
                false, true, true, false, true, true, true,
            ])
        catalog.fonts = ["/m/font.ttf": .unreadable("there is no such file")]
        catalog.data = catalog.fonts
        #expect(draft.validate(catalog).map(\.message) == ["there is no such file", "there is no such file"])
        (catalog.fonts, catalog.data) = ([:], [:])
        #expect(
            draft.validate(catalog).map(\.message) == [
                "‘/m/font.ttf’ has not been probed", "‘/m/font.ttf’ has not been probed",
            ])
    }

    /// Texts that look like paths are texts.
    @Test func aTitleThatNamesAFile() throws {
        func keys(_ text: String) throws -> [String] { try plan(Draft([.sound(0, 2)], effects: [.title(text)])).keys }
        #expect(try keys("/m/sound.mp4") != keys("/m/other.mp4"))
    }

    /// A random title in a random draft: its text counts where it is seen, and nowhere else.
    @Test func aRandomEdit() throws { try edit(150) }

    /// More drafts.
    @Suite struct Sweep {
        @Test func aRandomEdit() throws { try KeyTests().edit(300) }
    }

    private func edit(_ cases: Int) throws {
        let seed = Seed.announced(for: "edits and keys", cases: cases)
        let catalog = RandomDraft.catalog
        var edits = 0
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            var draft = generator.draft(illegal: false)
            let position = Int.random(in: 0...draft.effects.count, using: &generator.random)
            draft.effects.insert(
                Effect(.picture(.title(Title("a"))), range: generator.range(within: 3), id: "edited"), at: position)
            guard let before = try? plan(draft) else { continue }
            draft.effects[position].kind = .picture(.title(Title("b")))
            let after = try plan(draft)
            let oracle = Oracle(draft, catalog)
            edits += 1
            for (a, b) in zip(before.segments, after.segments) {
                // Effects that look around or warm up see more than the segment's own frames.
                let slice = try #require(before.segmentJob(a.index, output: "")?.slice)
                let first = (-a.firstFrame...0).first { slice.instruction(at: $0) != nil } ?? 0
                let end = (a.frameCount...before.composition.frameCount).first { slice.instruction(at: $0) == nil }
                let frames = a.firstFrame + first..<(end.map { a.firstFrame + $0 } ?? before.composition.frameCount)
                let isSeen = frames.contains { frame in
                    let middle = Time(middleOfFrame: frame, rate: before.composition.frameRate).double
                    let time = min(middle, oracle.renderedDuration - 1)
                    return oracle.shown(at: time).effects.contains { $0.id == "edited" }
                }
                #expect((a.key != b.key) == isSeen, "case \(index), segment \(a.index)")
            }
        }
        #expect(edits > cases / 5)
    }
}
