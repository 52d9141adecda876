import Draft
import TestSupport
import Values

/// Short ways to say what a test is about.
func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }

func range(_ start: Double, _ duration: Double) -> TimeRange {
    TimeRange(start: seconds(start), duration: seconds(duration))
}

extension Clip {
    static func sound(_ start: Double = 0, _ duration: Double = 3, speed: Rational = .one, transition: Double? = nil)
        -> Clip
    {
        var clip = Clip(path: "/m/sound.mp4", content: .media(range: range(start, duration)))
        clip.speed = speed
        clip.transition = transition.map { Transition(duration: seconds($0)) }
        return clip
    }

    static func photo(_ duration: Double) -> Clip {
        Clip(path: "/m/photo.jpg", content: .image(duration: seconds(duration)))
    }
}

extension Effect {
    static func speed(_ factor: Rational, _ range: TimeRange? = nil) -> Effect { Effect(.speed(factor), range: range) }
    static func `repeat`(_ count: Int, _ range: TimeRange? = nil) -> Effect { Effect(.repeat(count), range: range) }
    static func look(_ range: TimeRange? = nil) -> Effect {
        Effect(.picture(.lut(Look(path: "/m/look.png"))), range: range)
    }
    static func plugin(_ id: String, _ parameters: [String: ParameterValue] = [:], _ range: TimeRange? = nil) -> Effect
    {
        Effect(.picture(.filter(PluginEffect(effectID: id, parameters: parameters))), range: range)
    }
    static func sound(_ id: String, _ parameters: [String: ParameterValue] = [:], _ range: TimeRange? = nil) -> Effect {
        Effect(.sound(PluginEffect(effectID: id, parameters: parameters)), range: range)
    }
}

extension Draft {
    init(_ clips: [Clip], effects: [Effect] = [], audio: [AudioClip] = []) {
        self.init(canvas: Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: Rational(30)))
        self.clips = clips
        self.effects = effects
        self.audio = audio
    }
}

extension Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}
