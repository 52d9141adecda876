import Composition
import Draft
import TestSupport
import Testing

/// Clips and overlays that plugins' sources make, in plans.
@Suite struct SourceTests {
    /// Twelve seconds: six segments; what is made comes first, and lies over the end.
    private func draft() -> Draft {
        let overlay = SourceOverlay(
            PluginEffect(effectID: "org.test.made", parameters: ["amount": .numbers(.constant(0.25))]),
            rect: Rect(x: 10, y: 20, width: 101, height: 51), opacity: .constant(0.5))
        return Draft(
            [.made(5), .photo(4, transition: 1), .sound(2, 4)],
            effects: [Effect(.picture(.overlay(overlay)), range: range(9, 2))])
    }

    private func changed(by edit: (inout Draft) -> Void) throws -> [Int] {
        let before = try plan(draft())
        var draft = self.draft()
        edit(&draft)
        let after = try plan(draft)
        return before.segments.indices.filter { before.keys[$0] != after.keys[$0] }
    }

    private func edited(_ overlay: (inout SourceOverlay) -> Void) throws -> [Int] {
        try changed { draft in
            guard case .picture(.overlay(var changed)) = draft.effects[0].kind else { return }
            overlay(&changed)
            draft.effects[0].kind = .picture(.overlay(changed))
        }
    }

    @Test func whatDecidesItsBytesIsInItsKeys() throws {
        #expect(try changed { $0.clips[0] = .made(5, .constant(0.75)) } == [0, 1, 2])
        #expect(try edited { $0.rect?.x = 11 } == [4, 5])
        #expect(try edited { $0.rect = nil } == [4, 5])
        #expect(try edited { $0.opacity = .constant(0.6) } == [4, 5])
        #expect(try edited { $0.source.parameters["amount"] = .numbers(.constant(1)) } == [4, 5])
        #expect(try changed { $0.clips[0].id = "named" } == [])
        // An animation changes the segments in which it moves.
        let moving = Animated.keyframes([
            Keyframe(time: seconds(0), value: [0.5]), Keyframe(time: seconds(4.2), value: [0.5]),
            Keyframe(time: seconds(4.9), value: [1]),
        ])
        #expect(try changed { $0.clips[0] = .made(5, moving) }.contains(2))
    }

    @Test func theBuildOfTheLibraryIsInItsKeys() throws {
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.made" })
        catalog.effects[index].digest = "another build"
        let (before, after) = (try plan(draft()).keys, try plan(draft(), catalog).keys)
        #expect(before.indices.filter { before[$0] != after[$0] } == [0, 1, 2, 4, 5])
    }

    @Test func itsFilesAreInItsKeys() throws {
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.made" })
        catalog.effects[index].parameters.append(
            ParameterDescriptor(
                id: "media", kind: .path, label: "", unit: "", help: "", isAnimatable: false, minimum: 0, maximum: 0,
                initial: [],
                initialText: "", choices: []))
        func keys(_ digest: String) throws -> [String] {
            catalog.data["/m/song"] = .found(
                MediaInfo(kind: .data, format: "", identity: FileIdentity(size: 1, modified: 1, digest: digest)))
            var draft = Draft([.made(3), .photo(3)])
            draft.clips[0] = Clip(
                PluginEffect(effectID: "org.test.made", parameters: ["media": .path("/m/song")]), duration: seconds(3))
            #expect(draft.files.first == DraftFile("/m/song", .data) && draft.files.count == 2)
            return try plan(draft, catalog).keys
        }
        let (a, b) = (try keys("a"), try keys("b"))
        #expect(a.indices.filter { a[$0] != b[$0] } == [0, 1])
    }

    @Test func itIsSilent() throws {
        let plan = try plan(Draft([.made(2)]))
        #expect(plan.composition.sound.isEmpty && plan.audio == nil && plan.composition.files.isEmpty)
    }

    /// A source with state is made from its clip's start by one job.
    @Test func aClipWithStateIsNotCut() throws {
        let plan = try plan(Draft([.photo(1), .made(7, by: "org.test.grown"), .photo(4)]))
        #expect(plan.segments.map(\.firstFrame) == [0, 240, 300])
    }

    /// A source has no input, so what it says of one is not looked at.
    @Test func aReachMeansNothing() throws {
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.made" })
        catalog.effects[index].reachBefore = 9
        #expect(try plan(Draft([.made(4)]), catalog).composition.effects[0].plugin?.window == nil)
    }

    /// Entries of one effect are counted in the order of the draft: clips with what makes them, their effects and transitions, then
    /// the list. Others in between do not count, and the first is what it was without others.
    @Test func entriesOfOneEffectAreToldApart() throws {
        var clips = [Clip.made(2), .photo(2), .made(2)]
        clips[1].effects = [.plugin("org.test.pure")]
        let draft = Draft(
            clips,
            effects: [.plugin("org.test.pure"), .title("x"), .plugin("org.test.pure"), .plugin("org.test.around")])
        let effects = try plan(draft).composition.effects
        func entries(_ id: String) -> [Int?] { effects.filter { $0.effect.plugin?.effectID == id }.map(\.entry) }
        #expect(entries("org.test.made") == [nil, 1])
        #expect(entries("org.test.pure") == [nil, 1, 2])
        #expect(entries("org.test.around") == [nil])
        let json = try plan(Draft([.photo(1)], effects: [.plugin("org.test.pure")])).json
        #expect(!json.contains("entry"))
    }

    @Test func soundFiltersAreCountedToo() throws {
        var draft = Draft([.sound(0, 2), .sound(2, 2)], effects: [.sound("org.test.echo")])
        for index in 0...1 { draft.clips[index].effects = [.sound("org.test.echo")] }
        #expect(try plan(draft).composition.processing.filters.map(\.entry) == [nil, 1, 2])
    }
}
