import Composition
import Draft
import TestSupport
import Testing
import Values

/// Clips and overlays that plugins' sources make, in plans.
@Suite struct SourceTests {
    /// Twelve seconds, cut at 2, 4, 5, 8, 9 and 11 s; what is made comes first, and lies over the
    /// end.
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
        #expect(try edited { $0.rect?.x = 11 } == [5])
        #expect(try edited { $0.rect = nil } == [5])
        #expect(try edited { $0.opacity = .constant(0.6) } == [5])
        #expect(try edited { $0.source.parameters["amount"] = .numbers(.constant(1)) } == [5])
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
        #expect(before.indices.filter { before[$0] != after[$0] } == [0, 1, 2, 5])
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
        #expect(a.count == 2 && a[0] != b[0] && a[1] == b[1])
    }

    @Test func itIsSilent() throws {
        let plan = try plan(Draft([.made(2)]))
        #expect(plan.composition.sound.isEmpty && plan.audio == nil && plan.composition.files.isEmpty)
    }

    /// A source with state is made from its clip's start by one job.
    @Test func aClipWithStateIsNotCut() throws {
        let plan = try plan(Draft([.photo(1), .made(7, by: "org.test.grown"), .photo(4)]))
        #expect(plan.segments.map(\.firstFrame) == [0, 30, 240, 300])
    }

    /// A source has no input, so what it says of one is not looked at.
    @Test func aReachMeansNothing() throws {
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.made" })
        catalog.effects[index].reachBefore = 9
        #expect(try plan(Draft([.made(4)]), catalog).composition.effects[0].plugin?.window == nil)
    }

    /// Uses of one effect are told apart by what they are: their parameters, their length, the clip
    /// that they belong to. Only those that are alike in that are counted, and the first without
    /// anything is what it was without others.
    @Test func usesOfOneEffectAreToldApart() throws {
        var clips = [Clip.made(2), .photo(2), .made(2)]
        clips[1].effects = [.plugin("org.test.pure")]
        let draft = Draft(
            clips,
            effects: [
                .plugin("org.test.pure"), .title("x"), .plugin("org.test.pure"), .plugin("org.test.around"),
                .plugin("org.test.pure", amount: .constant(0.25)),
                .plugin("org.test.pure", range(1, 2)),
            ])
        func names(_ draft: Draft, _ id: String) throws -> [String?] {
            try plan(draft).composition.effects.filter { $0.content.plugin?.effectID == id }.map(\.seedName)
        }
        let made = try names(draft, "org.test.made")
        #expect(made[0] != nil && made[1] == made[0].map { $0 + "-1" })
        let pure = try names(draft, "org.test.pure")
        #expect(pure.count == 5 && Set(pure).count == 5 && pure[1] == nil)
        #expect(try names(draft, "org.test.around") == [nil])
        let json = try plan(Draft([.photo(1)], effects: [.plugin("org.test.pure")])).json
        #expect(!json.contains("seedName"))
        // What is put elsewhere changes no name.
        var longer = draft
        var other = Clip.sound(0, 1)
        other.effects = [.plugin("org.test.pure")]
        longer.clips.insert(other, at: 0)
        longer.effects.insert(.plugin("org.test.pure", range(0, 1), amount: .constant(0.75)), at: 0)
        let names = try names(longer, "org.test.pure")
        #expect(pure.allSatisfy(names.contains) && Set(names).count == 7)
    }

    @Test func soundFiltersAreToldApartToo() throws {
        var draft = Draft([.sound(0, 2), .sound(2, 2)], effects: [.sound("org.test.echo")])
        for index in 0...1 { draft.clips[index].effects = [.sound("org.test.echo")] }
        let names = try plan(draft).composition.processing.filters.map(\.seedName)
        #expect(names.count == 3 && Set(names).count == 3 && names.contains(nil))
    }
}
