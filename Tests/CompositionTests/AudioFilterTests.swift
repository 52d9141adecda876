import Draft
import TestSupport
import Testing
import Values

@testable import Composition

/// Which audio filters act in which stretches of which voices, and what they mean for keys.
@Suite struct AudioFilterTests {
    private let echo = Effect.sound("org.test.echo")
    private func echo(_ range: TimeRange) -> Effect { .sound("org.test.echo", range) }
    private func compose(_ draft: Draft) throws -> Composition { try Composition(draft, catalog: RandomDraft.catalog) }

    private func clip(_ start: Double, _ duration: Double, _ effects: [Effect], transition: Double? = nil) -> Clip {
        var clip = Clip.sound(start, duration, transition: transition)
        clip.effects = effects
        return clip
    }

    @Test func aClipHasOneVoiceWithItsFilters() throws {
        let composition = try compose(Draft([clip(0, 3, [echo(range(1, 9))]), clip(5, 2, [], transition: 1)]))
        let processing = composition.processing
        #expect(composition.sound.map(\.voice) == [0, 1])
        #expect(processing.voices.map(\.isMain) == [true, true] && processing.voices.map(\.filters.count) == [1, 0])
        let use = try #require(processing.voices[0].filters.first)
        // The range ends with the clip.
        #expect(use.length == seconds(2) && use.stretches.map(\.range) == [range(1, 2)])
        #expect(processing.filters.map(\.filter.effectID) == ["org.test.echo"] && processing.main.isEmpty)
        #expect(
            composition.effects.isEmpty && composition.instructions.allSatisfy { $0.uses.isEmpty },
            "pictures do not know of it")
    }

    @Test func aRepeatWithinAClipIsOneVoiceAndSomeStretches() throws {
        let draft = Draft([clip(0, 4, [echo(range(1, 1))])], effects: [Effect(.repeat(2), range: range(0.5, 1))])
        let processing = try compose(draft).processing
        #expect(processing.voices.count == 1)
        #expect(processing.voices[0].filters[0].stretches.map(\.range) == [range(1, 0.5), range(2, 1)])
        // The second pass plays the range's first half again, and goes on.
        #expect(processing.voices[0].filters[0].stretches[1].clock.map(\.contentStart) == [.zero])
    }

    @Test func aRepeatOverTwoClipsMakesNewVoices() throws {
        let draft = Draft([clip(0, 1, [echo]), clip(5, 1, [])], effects: [Effect(.repeat(3))])
        let composition = try compose(draft)
        #expect(composition.processing.voices.map(\.filters.count).sorted() == [0, 0, 0, 1, 1, 1])
        #expect(composition.sound.map(\.voice) == [0, 1, 2, 3, 4, 5])
        #expect(composition.processing.filters.count == 1)
    }

    @Test func aSpeedEffectIsNoBreak() throws {
        let draft = Draft(
            [.sound(0, 4)],
            effects: [
                echo(range(0, 3)), Effect(.speed(Rational(7, 11)), range: range(1, 1)), Effect(.speed(Rational(3))),
            ])
        let main = try compose(draft).processing.main
        #expect(main.count == 1 && main[0].stretches.count == 1 && main[0].stretches[0].clock.count == 3)
        #expect(main[0].stretches[0].clock.map(\.speed) == [Rational(3), Rational(21, 11), Rational(3)])
    }

    @Test func anAudioClipIsNotOfTheMainTrack() throws {
        var draft = Draft([.photo(4)], effects: [echo])
        draft.audio = [AudioClip(path: "/m/music.m4a", startTime: seconds(1))]
        draft.audio[0].range = range(0, 0.5)
        draft.audio[0].loops = true
        draft.audio[0].effects = [echo(range(0.25, 1))]
        draft.timeRange = range(0.5, 3)
        let composition = try compose(draft)
        #expect(composition.processing.voices.map(\.isMain) == [false] && Set(composition.sound.map(\.voice)) == [0])
        let use = composition.processing.voices[0].filters[0]
        #expect(use.stretches.map(\.range) == [range(0.75, 1)] && use.length == seconds(1))
    }

    /// Filters before a layer do not act on it; those that are left out do not count.
    @Test func aLayerComesInAtItsPlaceInTheList() throws {
        func layer(_ start: Double) -> Effect {
            Effect(.layer(Layer(Clip.sound(0, 1), at: seconds(start))))
        }
        var catalog = RandomDraft.catalog
        var gate = try #require(catalog.effect("org.test.echo"))
        (gate.id, gate.path) = ("org.test.gate", "/plugins/gate.so")
        catalog.effects.append(gate)
        let other = Effect.sound("org.test.gate")
        let draft = Draft(
            [.sound(0, 5)],
            effects: [layer(0), echo, layer(1), .plugin("org.test.pure"), other, layer(2)])
        let job = try #require(try plan(draft, catalog).soundMix)
        #expect(job.processing.main.count == 2)
        #expect(job.processing.voices.map(\.entry) == [nil, nil, 1, 2])
        #expect(job.processing.voices.allSatisfy { $0.isMain })
        let filter = job.processing.filters[job.processing.main[0].filter]
        let less = try #require(job.leavingOut(filter.filter.effectID, of: filter.plugin.path))
        #expect(
            less.processing.main.count == 1 && less.processing.voices.map(\.entry) == [nil, nil, nil, 1])
    }

    @Test func whatIsNotHeardIsNotInTheSound() throws {
        var draft = Draft(
            [.sound(0, 5)], effects: [.sound("org.test.echo", range(3, 1)), .sound("org.test.echo", range(0, 1))])
        draft.timeRange = range(0, 2)
        #expect(try compose(draft).processing.main.count == 1)
        draft.effects.removeFirst()
        let without = try plan(draft).soundKey
        draft.effects.append(.sound("org.test.echo", range(3, 1)))
        #expect(try plan(draft).soundKey == without)
    }

    @Test func theSoundsKeyHasPluginsAndValuesAndNothingElse() throws {
        func draft(_ amount: Double = 0.5, id: String? = nil) -> Draft {
            var filter = Effect.sound("org.test.echo", range(1, 2), amount: .constant(amount))
            filter.id = id
            return Draft([.sound(0, 5)], effects: [filter, .plugin("org.test.pure")])
        }
        let before = try plan(draft())
        #expect(try plan(draft(0.25)).soundKey != before.soundKey && plan(draft(0.25)).keys == before.keys)
        #expect(try plan(draft(id: "x")).soundKey == before.soundKey)
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.echo" })
        catalog.effects[index].path = "/else/echo.so"
        #expect(try plan(draft(), catalog).soundKey == before.soundKey)
        catalog.effects[index].digest = "another"
        #expect(try plan(draft(), catalog).soundKey != before.soundKey && plan(draft(), catalog).keys == before.keys)
        catalog.effects[index].determinism = .none
        #expect(try plan(draft(), catalog).isSoundUncertain == true && before.isSoundUncertain == nil)
        #expect(try plan(draft(), catalog).segments.allSatisfy { $0.isUncertain == nil })
    }

    @Test func aFiltersFileIsASource() throws {
        var draft = Draft([.sound(0, 5)], effects: [echo])
        draft.effects[0].kind = .sound(
            PluginEffect(effectID: "org.test.echo", parameters: ["map": .path("/m/font.ttf")]))
        var catalog = RandomDraft.catalog
        let index = try #require(catalog.effects.firstIndex { $0.id == "org.test.echo" })
        catalog.effects[index].parameters.append(
            ParameterDescriptor(
                id: "map", kind: .path, label: "", unit: "", help: "", isAnimatable: false, minimum: 0, maximum: 0,
                initial: [],
                initialText: "", choices: []))
        let job = try #require(try plan(draft, catalog).soundMix)
        #expect(job.files.map(\.path) == ["/m/sound.mp4", "/m/font.ttf"] && job.processing.filters[0].files == [1])
    }
}
