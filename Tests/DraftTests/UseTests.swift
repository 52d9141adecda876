import TestSupport
import Testing
import Values

@testable import Draft

/// The two traversals of a draft.
@Suite struct UseTests {
    /// A draft that has something at every place, of every content.
    private static let draft: Draft = {
        func plugin(_ id: String) -> PluginEffect {
            PluginEffect(
                effectID: "a." + id,
                parameters: ["file": .path("/m/" + id), "text": .text("/m/x"), "value": .numbers(.constant(1))])
        }
        var draft = Draft([
            .photo(1), Clip(plugin("source"), duration: seconds(1), id: "made"),
        ])
        draft.clips[1].transition = Transition(.plugin(plugin("transition")), duration: seconds(0.5))
        draft.clips[1].effects = [.look(), .speed(Rational(2)), Effect(.sound(plugin("sound")), id: "own")]
        draft.audio = [AudioClip(path: "/m/music.m4a", id: "song")]
        draft.audio[0].effects = [Effect(.sound(plugin("echo")))]
        var title = Title("x")
        title.fontFile = "/m/font.ttf"
        draft.effects = [
            .repeat(2), Effect(.picture(.title(title))), Effect(.picture(.filter(plugin("filter")))),
            Effect(.picture(.overlay(SourceOverlay(plugin("overlay"))))),
            Effect(.picture(.sticker(Sticker(path: "/m/emoji.png", rect: Rect(x: 0, y: 0, width: 1, height: 1))))),
        ]
        return draft
    }()

    @Test func everyPlaceIsWalked() {
        let draft = Self.draft
        #expect(
            draft.uses.map { "\(draft.name(of: $0.place)): \($0.values.map(\.key).joined(separator: " "))" } == [
                "clip 1: volume", "clip 2 (made): value", "clip 2 (made), transition: value",
                "clip 2 (made), effect 1 (lut): intensity", "clip 2 (made), effect 3 (own, a.sound): value",
                "audio 1 (song): volume", "audio 1 (song), effect 1 (a.echo): value", "effect 2 (title): opacity",
                "effect 3 (a.filter): value", "effect 4 (a.overlay): value opacity", "effect 5 (sticker): rect opacity",
            ])
        #expect(
            draft.uses.map(\.place.description) == [
                "clip 1", "clip 2", "clip 2, transition", "clip 2, effect 1", "clip 2, effect 3", "audio 1",
                "audio 1, effect 1", "effect 2", "effect 3", "effect 4", "effect 5",
            ])
        #expect(draft.pluginIDs == ["a.source", "a.transition", "a.sound", "a.echo", "a.filter", "a.overlay"])
        #expect(
            draft.files.map(\.path) == [
                "/m/photo.jpg", "/m/source", "/m/transition", "/m/look.png", "/m/sound", "/m/music.m4a", "/m/echo",
                "/m/font.ttf", "/m/filter", "/m/overlay", "/m/emoji.png",
            ])
    }

    @Test func everyValueIsChanged() {
        var draft = Self.draft
        draft.changeUses { use in
            switch use.content {
            case .file(_, let sound): use.content = .file(DraftFile("/new"), sound: sound)
            case .clip(var clip) where clip.generator == nil:
                clip.path = "/new"
                use.content = .clip(clip)
            default: break
            }
            use.changeValues { $1 = .function(7) }
        }
        #expect(draft.uses.flatMap(\.values).allSatisfy { $0.value == .function(7) } && draft.hasFunctions)
        #expect(draft.clips[0].path == "/new" && draft.audio[0].path == "/new" && draft.clips[1].path.isEmpty)
        #expect(draft.effects.map(\.kindName) == Self.draft.effects.map(\.kindName))
    }

    @Test func aChangeOfNothingChangesNothing() {
        let cases = 200
        let seed = Seed.announced(for: "uses of drafts", cases: cases)
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            let draft = generator.draft()
            var changed = draft
            changed.changeUses { use in use.changeValues { _, _ in } }
            #expect(changed == draft, "case \(index)")
        }
    }
}
