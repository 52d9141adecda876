import Draft
import TestSupport
import Testing
import Values

/// An object differs from another one in every field that decides what is rendered, and in no
/// other. A field that is added to a type and not here fails the test of that type.
@Suite struct EqualityTests {
    /// Checks one change of each field.
    /// - Parameters:
    ///   - changes: by the fields' names.
    ///   - untracked: fields that do not make another object.
    private func check<Model: Hashable>(
        _ model: Model, untracked: [String: (inout Model) -> Void] = [:], _ changes: [String: (inout Model) -> Void]
    ) {
        let fields = Mirror(reflecting: model).children.compactMap(\.label)
            .map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 }
        #expect(Set(fields) == Set(changes.keys).union(untracked.keys), "\(Model.self)")
        for (field, change) in changes {
            var other = model
            change(&other)
            #expect(other != model, "\(Model.self).\(field)")
        }
        for (field, change) in untracked {
            var other = model
            change(&other)
            #expect(other == model && other.hashValue == model.hashValue, "\(Model.self).\(field)")
        }
    }

    private let place = Origin(file: "edit.lua", line: 3)
    private let second = Time(flicks: Time.flicksPerSecond)
    private let range = TimeRange(start: .zero, duration: Time(flicks: Time.flicksPerSecond))
    private let half = Animated.constant(0.5)
    private let blur = PluginEffect(effectID: "org.test.blur")

    private func note<Model>(_ changes: WritableKeyPath<Model, Changes>) -> (inout Model) -> Void {
        let place = place
        return { $0[keyPath: changes].note("volume", at: place) }
    }

    @Test func `a clip`() {
        check(
            Clip(path: "/m/a.mp4"),
            untracked: [
                "origin": { $0.origin = place }, "changes": note(\.changes), "stretch": { $0.stretch = second },
            ],
            [
                "id": { $0.id = "a" }, "path": { $0.path = "/m/b.mp4" },
                "content": { $0.content = .media(range: range) },
                "speed": { $0.speed = Rational(2) }, "isReversed": { $0.isReversed = true },
                "timing": { $0.timing.loop = 2 }, "sound": { $0.sound.volume = half },
                "soundLead": { $0.soundLead = second }, "soundTail": { $0.soundTail = second },
                "audioTrack": { $0.audioTrack = .number(2) }, "mode": { $0.mode = .fill },
                "placement": {
                    $0.placement = Placement()
                    $0.placement?.opacity = half
                },
                "backdrop": { $0.backdrop = .blur }, "transition": { $0.transition = Transition(duration: second) },
                "effects": { $0.effects = [Effect(.sound(blur))] },
            ])
        var timing = Clip(path: "/m/a.mp4").timing
        timing.loop = 2
        check(
            timing,
            [
                "speed": { $0.speed = half }, "freezes": { $0.freezes = [.init(at: .zero, for: second)] },
                "loop": { $0.loop = 3 }, "isPingPong": { $0.isPingPong = true }, "frames": { $0.frames = .blend },
            ])
    }

    @Test func `a placement that says nothing is none`() {
        var (clip, plain) = (Clip(path: "/m/a.mp4"), Clip(path: "/m/a.mp4"))
        plain.placement = Placement()
        #expect(clip == plain && clip.hashValue == plain.hashValue && plain.ownPlacement == nil)
        clip.placement = Placement()
        clip.placement?.scale = half
        #expect(clip != plain && clip.ownPlacement != nil)
    }

    @Test func `a clip's sound`() {
        check(
            ClipSound(),
            [
                "volume": { $0.volume = half }, "pan": { $0.pan = half }, "fadeIn": { $0.fadeIn = second },
                "fadeOut": { $0.fadeOut = second },
            ])
    }

    @Test func `an audio clip`() {
        check(
            AudioClip(path: "/m/a.m4a"), untracked: ["origin": { $0.origin = place }, "changes": note(\.changes)],
            [
                "id": { $0.id = "a" }, "path": { $0.path = "/m/b.m4a" }, "startTime": { $0.startTime = second },
                "range": { $0.range = range }, "speed": { $0.speed = Rational(2) },
                "keepsPitch": { $0.keepsPitch = false }, "sound": { $0.sound.fadeIn = second },
                "loops": { $0.loops = true }, "audioTrack": { $0.audioTrack = .number(2) },
                "effects": { $0.effects = [Effect(.sound(blur))] },
            ])
    }

    @Test func `an effect and a layer`() {
        check(
            Effect(.speed(Rational(2))), untracked: ["origin": { $0.origin = place }, "changes": note(\.changes)],
            [
                "id": { $0.id = "a" }, "kind": { $0.kind = .repeat(2) }, "range": { $0.range = range },
                "isPassThrough": { $0.isPassThrough = true }, "keys": { $0.keys = ["voice"] },
            ])
        check(
            Layer(Clip(path: "/m/a.mp4")),
            [
                "clip": { $0.clip.mode = .fill }, "start": { $0.start = second },
                "isOpenEnded": { $0.isOpenEnded = true }, "blend": { $0.blend = .screen },
                "enter": { $0.enter = Entrance(.fade, duration: second) },
                "leave": { $0.leave = Entrance(.fade, duration: second) },
                "mask": { $0.mask = Mask(path: "/m/matte.png", kind: .luma) }, "shadow": { $0.shadow = LayerShadow() },
            ])
    }

    @Test func `a draft`() {
        check(
            Draft(),
            untracked: [
                "origin": { $0.origin = place }, "backgroundOrigin": { $0.backgroundOrigin = place },
                "timeRangeOrigin": { $0.timeRangeOrigin = place },
                "backgroundDurationOrigin": { $0.backgroundDurationOrigin = place },
                "exportOrigin": { $0.exportOrigin = place },
            ],
            [
                "canvas": { $0.canvas.longerSide = 640 }, "clips": { $0.clips = [Clip(path: "/m/a.mp4")] },
                "audio": { $0.audio = [AudioClip(path: "/m/a.m4a")] },
                "effects": { $0.effects = [Effect(.speed(Rational(2)))] }, "timeRange": { $0.timeRange = range },
                "backgroundDuration": { $0.backgroundDuration = second },
                "loudness": { $0.loudness.integrated = -14 }, "export": { $0.export.networkUse = false },
            ])
        check(
            Loudness(), untracked: ["origin": { $0.origin = place }],
            ["integrated": { $0.integrated = -14 }, "truePeak": { $0.truePeak = -2 }])
    }
}
