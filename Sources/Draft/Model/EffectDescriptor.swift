import Values

/// What a plugin says about one of its effects, as a worker read it from the plugin's descriptor.
public struct EffectDescriptor: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        case filter, transition, source, audioFilter = "audio_filter", analyser

        /// How many pictures or sounds go into it, its key not counted.
        public var inputCount: Int {
            switch self {
            case .source: 0
            case .filter, .audioFilter, .analyser: 1
            case .transition: 2
            }
        }

        /// With its article, for messages: `a filter`.
        public var forPeople: String {
            switch self {
            case .filter: "a filter"
            case .transition: "a transition"
            case .source: "a source"
            case .audioFilter: "an audio filter"
            case .analyser: "an analyser"
            }
        }
    }

    /// Where the same call gives the same result.
    public enum Determinism: String, Sendable, Codable {
        /// Nowhere surely: what it made is not kept for another render.
        case none
        /// On processors of one kind.
        case machine
        case exact
    }

    /// How the picture at one time depends on the pictures before it.
    public enum State: String, Sendable, Codable {
        /// Each frame depends on its own inputs only.
        case pure
        /// Exact once `warmUp` frames have been processed before.
        case warmUp = "warm_up"
        /// Depends on every frame before it: its range is never split.
        case sequential
    }

    /// Reverse-DNS, e.g. `org.cutroom.vignette`.
    public var id: String
    public var kind: Kind
    public var name: String
    public var version: String
    public var vendor: String
    public var license: String
    public var help: String
    public var state: State
    /// Frames, of sound samples; used where `state` is `warmUp`.
    @FrameCount public var warmUp: Int
    /// Frames of each input (samples for sound) that it needs before and after the current one.
    @FrameCount public var reachBefore: Int
    @FrameCount public var reachAfter: Int
    public var determinism: Determinism
    /// It hears a second sound, which tells it when to act: for an audio clip's filter the main
    /// track's.
    public var isKeyed: Bool
    /// True where its result does not depend on where on the timeline it stands.
    public var ignoresTimeline: Bool
    public var parameters: [ParameterDescriptor]
    /// The picture or sound formats that it works with, best first, by their names in the plugin
    /// interface: `rgba8`, `rgbaf32`, `yuv420p8`, `pcmf32_planar`. Formats that this version does
    /// not know are left out.
    public var formats: [String]
    /// Why it can be listed and not used, as a sentence; nil where it can be used.
    public var refusal: String?
    /// The library's absolute path.
    public var path: String
    /// SHA-256 of the library and its data files, in hexadecimal.
    public var digest: String
    /// The library's data files, relative to its folder.
    @DataFiles public var files: [String]

    /// The parameters that are listed for users.
    public var offeredParameters: [ParameterDescriptor] { parameters.filter { !$0.isHidden } }

    /// How many pictures or sounds go into it.
    public var inputCount: Int { kind.inputCount + (isKeyed ? 1 : 0) }

    public init(
        id: String, kind: Kind, name: String, version: String, vendor: String, license: String, help: String,
        state: State,
        warmUp: Int, reachBefore: Int = 0, reachAfter: Int = 0, determinism: Determinism = .exact,
        isKeyed: Bool = false, ignoresTimeline: Bool = false, parameters: [ParameterDescriptor], formats: [String] = [],
        refusal: String? = nil, path: String, digest: String, files: [String] = []
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.version = version
        self.vendor = vendor
        self.license = license
        self.help = help
        self.state = state
        self.warmUp = warmUp
        self.reachBefore = reachBefore
        self.reachAfter = reachAfter
        self.determinism = determinism
        self.isKeyed = isKeyed
        self.ignoresTimeline = ignoresTimeline
        self.parameters = parameters
        self.formats = formats
        self.refusal = refusal
        self.path = path
        self.digest = digest
        self.files = files
    }

    /// The absolute paths of the library and its data files.
    public var ownPaths: [String] { [path] + files.map { absolutePath("../\($0)", in: path) } }
}

/// Frames or samples that a worker says an effect needs: 0 … 2³² − 1, as the plugin interface has
/// them, so that sums of them stay within bounds.
@propertyWrapper public struct FrameCount: Hashable, Sendable, Codable {
    public var wrappedValue: Int

    public init(wrappedValue: Int) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = try container.decode(Int.self)
        guard (0...Int(UInt32.max)).contains(wrappedValue) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number of frames out of range")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

public struct ParameterDescriptor: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        case double, int, bool, `enum`, color, point, string, path
        /// How many numbers a value has: 1, 2 for a point, 4 for a colour (red, green, blue, alpha
        /// in 0…1); 0 for text.
        public var componentCount: Int {
            switch self {
            case .double, .int, .bool, .enum: 1
            case .point: 2
            case .color: 4
            case .string, .path: 0
            }
        }
    }

    public var id: String
    public var kind: Kind
    public var label: String
    public var unit: String
    public var help: String
    public var isAnimatable: Bool
    /// Accepted like any other, and not offered to people.
    public var isHidden: Bool
    /// A value is expected. Without one the effect does nothing useful, which is a warning.
    public var isExpected: Bool
    /// Bounds of every component; equal or reversed bounds mean none.
    public var minimum: Double
    public var maximum: Double
    public var initial: [Double]
    public var initialText: String
    /// The names of an enumeration's values, by index.
    public var choices: [String]

    public init(
        id: String, kind: Kind, label: String, unit: String, help: String, isAnimatable: Bool,
        isHidden: Bool = false, isExpected: Bool = false, minimum: Double, maximum: Double, initial: [Double],
        initialText: String,
        choices: [String]
    ) {
        self.id = id
        self.kind = kind
        self.label = label
        self.unit = unit
        self.help = help
        self.isAnimatable = isAnimatable
        self.isHidden = isHidden
        self.isExpected = isExpected
        self.minimum = minimum
        self.maximum = maximum
        self.initial = initial
        self.initialText = initialText
        self.choices = choices
    }
}
