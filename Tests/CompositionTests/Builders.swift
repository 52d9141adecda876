import Composition
import Draft
import TestSupport
import Values

func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }

func range(_ start: Double, _ duration: Double) -> TimeRange {
    TimeRange(start: seconds(start), duration: seconds(duration))
}

extension Draft {
    /// A draft at 30 frames per second.
    init(_ clips: [Clip], effects: [Effect] = []) {
        self.init(canvas: Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: Rational(30)))
        self.clips = clips
        self.effects = effects
    }
}

extension Clip {
    static func sound(_ start: Double, _ duration: Double, id: String? = nil, transition: Double? = nil) -> Clip {
        var clip = Clip(path: "/m/sound.mp4", content: .media(range: range(start, duration)), id: id)
        clip.transition = transition.map { Transition(duration: seconds($0)) }
        return clip
    }

    static func made(_ duration: Double, _ amount: Animated = .constant(0.5), by id: String = "org.test.made") -> Clip {
        Clip(PluginEffect(effectID: id, parameters: ["amount": .numbers(amount)]), duration: seconds(duration))
    }

    static func photo(_ duration: Double, transition: Double? = nil) -> Clip {
        var clip = Clip(path: "/m/photo.jpg", content: .image(duration: seconds(duration)))
        clip.transition = transition.map { Transition(duration: seconds($0)) }
        return clip
    }
}

extension Effect {
    static func title(_ text: String, _ range: TimeRange? = nil) -> Effect {
        Effect(.picture(.title(Title(text))), range: range)
    }
    static func plugin(_ id: String, _ range: TimeRange? = nil, amount: Animated? = nil) -> Effect {
        let parameters = amount.map { ["amount": ParameterValue.numbers($0)] } ?? [:]
        return Effect(.picture(.filter(PluginEffect(effectID: id, parameters: parameters))), range: range)
    }
    static func sound(_ id: String, _ range: TimeRange? = nil, amount: Animated? = nil) -> Effect {
        let parameters = amount.map { ["amount": ParameterValue.numbers($0)] } ?? [:]
        return Effect(.sound(PluginEffect(effectID: id, parameters: parameters)), range: range)
    }
}

func plan(_ draft: Draft, _ catalog: Catalog = RandomDraft.catalog, libraries: String = "libav 1") throws -> RenderPlan
{
    try RenderPlan(draft, catalog: catalog, libraries: libraries)
}

extension RenderPlan {
    var keys: [String] { segments.map(\.key) }
}
