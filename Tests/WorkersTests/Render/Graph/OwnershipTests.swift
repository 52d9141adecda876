import Composition
import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

@testable import PluginHosting
@testable import Workers

/// Who may write into a picture: each node over inputs that are shared, and over inputs that are
/// its own.
@Suite(.waits) struct OwnershipTests {
    /// A slice of a draft with a look on all of it.
    private static func slice(_ look: String = "/m/look.png", _ info: MediaInfo? = nil) throws -> Slice {
        var draft = Draft(canvas: Canvas(size: FlatNode.size, frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4")]
        draft.effects = [Effect(.picture(.lut(Look(path: look))))]
        var catalog = RandomDraft.catalog
        if let info { catalog.media[look] = .found(info) }
        return Slice(try Composition(draft, catalog: catalog), frames: 0..<50)
    }

    /// The clock of an effect that begins with the slice.
    private static func clock(_ slice: Slice) throws -> EffectClock {
        var clock = EffectClock(SliceClock(slice, firstFrame: 0))
        clock.uses.add(try #require(slice.instructions.first?.effects.first), for: 0..<50)
        return clock
    }

    @Test(arguments: [true, false], [0.4, 1])
    func `a look writes into its own input and into no other`(isOwned: Bool, intensity: Double) throws {
        try TemporaryFolder.with { folder in
            let path = try TestMedia(in: folder).cube { (1 - $0, 1 - $1, 1 - $2) }
            let slice = try Self.slice(path, try Probe.probe(path: path))
            let file = try #require(slice.effects[0].files.first.map { slice.files[$0] })
            let clock = try Self.clock(slice)
            let moving = Animated.keyframes([
                Keyframe(time: .zero, value: [0]),
                Keyframe(time: Time(frame: 1, rate: Rational(30)), value: [intensity]),
            ])
            for isConstant in [true, false] {
                let input = FlatNode(isOwned: isOwned)
                let look = Look(path: path, intensity: isConstant ? .constant(intensity) : moving)
                let node = LookNode(look, file, .sdr, over: input, clock, LookCache()) { _ in }
                let surface = try #require(try node.frame(40))
                let inverse = 251 - 40
                let right = Double(40) + (Double(inverse) - 40) * intensity
                #expect(abs(Double(surface.picture.luma[0]) - right) <= 2)
                let isSame = surface.picture === input.pictures[40]
                #expect(isSame == (isOwned && isConstant) && surface.isWritable)
                if !isSame { #expect(input.isIntact) }
                #expect(try node.frame(50) == nil)
                guard !isConstant else { continue }
                // It begins at zero, where the picture passes.
                let first = try #require(try node.frame(0))
                #expect(
                    first.picture === input.pictures[0] && first.isWritable == isOwned && first.picture.luma[0] == 0)
            }
        }
    }

    @Test(arguments: [true, false]) func `a transition of ours makes a picture of its own`(isOwned: Bool) throws {
        for kind in Transition.Kind.builtIn {
            var draft = Draft(canvas: Canvas(size: FlatNode.size, frameRate: Rational(30)))
            draft.clips = [Clip(path: "/m/short.mp4"), Clip(path: "/m/short.mp4")]
            draft.clips[1].transition = Transition(kind, duration: Time(frame: 10, rate: Rational(30)))
            let slice = Slice(try Composition(draft, catalog: RandomDraft.catalog), frames: 0..<20)
            let use = try #require(slice.instructions.compactMap(\.transition).first)
            let (old, new) = (FlatNode(isOwned: isOwned), FlatNode(isOwned: isOwned) { $0 < 12 })
            let node = BuiltInTransition(kind, use, from: old, to: new, SliceClock(slice, firstFrame: 0))
            let surface = try #require(try node.frame(10))
            #expect(surface.isWritable && surface.picture !== old.pictures[10] && surface.picture !== new.pictures[10])
            #expect(old.isIntact && new.isIntact && old.asked == [10] && new.asked == [10])
            #expect(try node.frame(12) == nil)
        }
    }

    /// Plugins that work in place, that do not, and that pass their input on; as filters and as
    /// transitions.
    @Test(arguments: [true, false], [[], ["CAPABILITIES=CUTROOM_CAN_IN_PLACE"], ["STATUS=CUTROOM_PASS"]])
    func `a plugin writes into its own input and into no other`(isOwned: Bool, defines: [String]) throws {
        try TemporaryFolder.with { folder in
            for isTransition in [true, false] {
                let library = folder.file("paints-\(isTransition).so")
                try TestPlugin.build(
                    "paints.c",
                    defines + ["VALUE=200-in->plane[0][y*in->stride[0]+x]"]
                        + (isTransition ? ["FIXTURE_KIND=CUTROOM_KIND_TRANSITION"] : []), to: library)
                let slice = try Self.slice(library, isTransition: isTransition)
                let shelf = LoadedPlugins(breadcrumb: folder.file("breadcrumb"))
                let inputs = (0..<(isTransition ? 2 : 1)).map { _ in FlatNode(isOwned: isOwned) }
                let number = try #require(slice.effects.firstIndex { $0.plugin != nil })
                let maker = PluginFilter(
                    PluginOpener(number, of: slice, slice.stage(slice.size), shelf), inputs.map { .current($0) }
                ) { _ in }
                var moment = try #require(Self.clock(Self.slice()).moment(30))
                moment.range = Time(frame: 60, rate: Rational(30))
                let surface = try #require(try maker.make(moment))
                let passes = defines.first?.contains("PASS") == true
                let isSame = surface.picture === inputs[0].pictures[30]
                #expect(isSame == (passes || isOwned && !isTransition && defines.count == 1))
                #expect(surface.isWritable == (isOwned || !passes))
                #expect(surface.picture.luma.allSatisfy { $0 == (passes ? 30 : 170) })
                if !isSame || passes { #expect(inputs.allSatisfy { $0.isIntact }) }
                #expect(inputs.allSatisfy { $0.asked == [30] })
            }
        }
    }

    /// A slice with one plugin's effect.
    private static func slice(_ library: String, isTransition: Bool) throws -> Slice {
        var catalog = RandomDraft.catalog
        catalog.effects = PluginRegistry(searchPaths: [library]).descriptors().effects
        let effect = PluginEffect(effectID: catalog.effects[0].id)
        var draft = Draft(canvas: Canvas(size: FlatNode.size, frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4"), Clip(path: "/m/sound.mp4")]
        if isTransition {
            draft.clips[1].transition = Transition(.plugin(effect), duration: Time(frame: 60, rate: Rational(30)))
        } else {
            draft.effects = [Effect(.picture(.filter(effect)))]
        }
        let composition = try Composition(draft, catalog: catalog)
        return Slice(composition, frames: 0..<composition.frameCount)
    }
}
