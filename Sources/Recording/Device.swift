import Values

/// A device that can be recorded, and what it can do.
public struct Device: Hashable, Sendable, Codable {
    /// What `--video` or `--audio` calls it.
    public var source: String
    /// Its name for people; empty where it has none.
    public var name: String
    public var ability: Ability

    public enum Ability: Hashable, Sendable, Codable {
        /// An X11 screen: its size in pixels.
        case screen(width: Int, height: Int)
        /// An X11 window: its size in pixels.
        case window(width: Int, height: Int)
        case camera([CameraMode])
        /// A source of PulseAudio, which converts to any form. Its own one is told.
        case pulse(sampleRate: Int, channels: Int, isDefault: Bool, isMonitor: Bool)
        case alsa(SoundModes)
    }

    public init(source: String, name: String, _ ability: Ability) {
        (self.source, self.name, self.ability) = (source, name, ability)
    }
}

/// The devices of a machine.
public struct DeviceList: Hashable, Sendable, Codable {
    public var devices: [Device]
    /// What could not be asked, and why: sentences.
    public var problems: [String]

    public init(devices: [Device] = [], problems: [String] = []) {
        (self.devices, self.problems) = (devices, problems)
    }

    public static func + (first: DeviceList, second: DeviceList) -> DeviceList {
        DeviceList(devices: first.devices + second.devices, problems: first.problems + second.problems)
    }
}

/// Why a device cannot do what was asked of it: half a sentence, whose subject is the device.
public struct Unsupported: Error, Hashable, Sendable {
    public var reason: String
    init(_ reason: String) { self.reason = reason + ", and ‘--compromise’ takes the nearest" }
}

extension Collection<String> {
    /// `a, b and c`.
    var listed: String {
        let texts = Array(self)
        guard texts.count > 1, let last = texts.last else { return texts.joined() }
        return texts.dropLast().joined(separator: ", ") + " and " + last
    }
}

// MARK: Cameras

/// A pixel format of a camera with a size, or sizes, and the frame rates that they have.
public struct CameraMode: Hashable, Sendable, Codable {
    /// V4L2's four characters, such as `YUYV`.
    public var format: String
    public var width: Steps
    public var height: Steps
    public var rates: Rates

    public init(format: String, width: Steps, height: Steps, rates: Rates) {
        (self.format, self.width, self.height, self.rates) = (format, width, height, rates)
    }

    /// Pixels.
    public struct Steps: Hashable, Sendable, Codable {
        public var least: Int
        public var most: Int
        public var step: Int

        /// - Parameter step: of what a broken driver tells; at least one.
        public init(least: Int, most: Int, step: Int) {
            (self.least, self.most, self.step) = (least, Swift.max(least, most), Swift.max(1, step))
        }

        public init(_ one: Int) { self.init(least: one, most: one, step: 1) }

        func nearest(to wanted: Int) -> Int {
            let within = Swift.min(Swift.max(wanted, least), most)
            let below = within - (within - least) % step
            return below + step <= most && below + step - within < within - below ? below + step : below
        }
    }

    /// Frames per second.
    public enum Rates: Hashable, Sendable, Codable {
        /// The driver does not tell.
        case unknown
        case list([Rational])
        case range(slowest: Rational, fastest: Rational)

        /// The nearest to a rate; nil: not known.
        func nearest(to wanted: Rational) -> Rational? {
            switch self {
            case .unknown: nil
            case .list(let rates): rates.min { Self.distance($0, wanted) < Self.distance($1, wanted) }
            case .range(let slowest, let fastest): min(max(wanted, slowest), fastest)
            }
        }

        private static func distance(_ a: Rational, _ b: Rational) -> Double { abs(a.doubleValue - b.doubleValue) }
    }

    public var sizeText: String {
        width.least == width.most && height.least == height.most
            ? "\(width.most)x\(height.most)" : "\(width.least)x\(height.least) to \(width.most)x\(height.most)"
    }

    public var rateTexts: [String] {
        switch rates {
        case .unknown: []
        case .list(let rates): rates.map(\.rateText)
        case .range(let slowest, let fastest): ["\(slowest.rateText) to \(fastest.rateText)"]
        }
    }

    /// libavdevice's name of the format; nil for one that it does not read.
    public var inputFormat: String? { Self.inputFormats[format] }

    /// The names for the formats that need no special treatment.
    private static let inputFormats = [
        "YU12": "yuv420p", "NV12": "nv12", "YUYV": "yuyv422", "UYVY": "uyvy422", "422P": "yuv422p", "GREY": "gray",
        "RGB3": "rgb24", "BGR3": "bgr24", "MJPG": "mjpeg", "JPEG": "mjpeg", "H264": "h264",
    ]

    /// How much a format loses: what is not compressed is preferred.
    fileprivate var loss: Int {
        switch format {
        case "MJPG", "JPEG": 1
        case "H264": 2
        case "GREY": 3
        default: 0
        }
    }
}

extension Rational {
    /// `30` or `29.97`.
    public var rateText: String {
        let hundredths = Int((doubleValue * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        guard rest > 0 else { return "\(whole)" }
        return "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
    }

    /// Whether two frame rates are the same one for a device: 30000/1001 and 29.97, and also 30,
    /// which many cameras call it.
    public func isRate(_ other: Rational) -> Bool { abs(doubleValue / other.doubleValue - 1) < 0.002 }
}

/// A request to a camera.
public struct CameraRequest: Hashable, Sendable, Codable {
    /// Pixels; nil: any size.
    public var width: Int?
    public var height: Int?
    /// Frames per second; nil: any rate, preferably 30.
    public var frameRate: Rational?
    /// What the camera does not have becomes the nearest that it has.
    public var compromises: Bool
    /// The pictures are scaled, so that the nearest size will do.
    public var isScaled = false

    public init(width: Int? = nil, height: Int? = nil, frameRate: Rational? = nil, compromises: Bool = false) {
        (self.width, self.height, self.frameRate, self.compromises) = (width, height, frameRate, compromises)
    }

    /// How a camera is opened.
    public struct Choice: Hashable, Sendable {
        public var mode: CameraMode
        public var width: Int
        public var height: Int
        /// nil: the driver decides.
        public var rate: Rational?
    }

    /// Pixels: if no size is asked, the nearest is chosen.
    private static let usualArea = 1280 * 720
    private static let usualRate = Rational(30)

    /// Chooses among the modes of a camera; if several fit, the one with the least loss. Once the
    /// camera is open, ``check(width:height:frameRate:)`` says what is not as it was asked.
    /// - Returns: nil if the camera does not tell its sizes.
    public func choice(among modes: [CameraMode]) throws(Unsupported) -> Choice? {
        let known = modes.filter { $0.inputFormat != nil }
        guard !known.isEmpty else { return nil }
        var choices = known.map { mode in
            Choice(
                mode: mode, width: mode.width.nearest(to: width ?? mode.width.most),
                height: mode.height.nearest(to: height ?? mode.height.most),
                rate: mode.rates.nearest(to: frameRate ?? Self.usualRate))
        }
        if let width, let height {
            let best = choices.map { distance($0, width, height) }.min() ?? 0
            choices.removeAll { distance($0, width, height) > best }
            if best > 0, let first = choices.first {
                guard compromises || isScaled else {
                    throw Unsupported("it cannot deliver \(width)x\(height); it has \(Self.sizes(of: known))")
                }
                choices.removeAll { ($0.width, $0.height) != (first.width, first.height) }
            }
        }
        if let frameRate {
            let best = choices.map { distance($0, frameRate) }.min() ?? 0
            let nearest = choices.filter { distance($0, frameRate) <= best }
            if let first = nearest.first, let rate = first.rate, !rate.isRate(frameRate) {
                guard compromises else {
                    let place = width == nil ? "" : " at \(first.width)x\(first.height)"
                    let rates = Self.rates(of: choices.map(\.mode))
                    throw Unsupported(
                        "it cannot deliver \(frameRate.rateText) frames per second\(place); it has \(rates)")
                }
            }
            choices = nearest
        }
        return choices.min { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    private func distance(_ choice: Choice, _ width: Int, _ height: Int) -> Int {
        let (dx, dy) = (choice.width - width, choice.height - height)
        return dx * dx + dy * dy
    }

    private func distance(_ choice: Choice, _ rate: Rational) -> Double {
        choice.rate.map { abs($0.doubleValue - rate.doubleValue) } ?? 0
    }

    /// The least is best: a rate that is too slow, a size that is unusual, loss.
    private func rank(_ choice: Choice) -> [Double] {
        let wanted = (frameRate ?? Self.usualRate).doubleValue
        let slowness = max(0, wanted - (choice.rate?.doubleValue ?? wanted))
        let area = Double(abs(choice.width * choice.height - Self.usualArea))
        let haste = max(0, (choice.rate?.doubleValue ?? wanted) - wanted)
        return [slowness, width == nil ? area : 0, haste, Double(choice.mode.loss)]
    }

    /// Checks what a camera delivers once it is open: its driver may do as it likes.
    /// - Returns: what is not as it was asked: half sentences.
    public func check(width: Int, height: Int, frameRate: Rational) throws(Unsupported) -> [String] {
        var found: [String] = []
        if let wanted = self.width, let wantedHeight = self.height, (wanted, wantedHeight) != (width, height),
            !isScaled
        {
            found.append("it delivers \(width)x\(height), not \(wanted)x\(wantedHeight)")
        }
        if let wanted = self.frameRate, !wanted.isRate(frameRate) {
            found.append("it delivers \(frameRate.rateText) frames per second, not \(wanted.rateText)")
        }
        guard compromises || found.isEmpty else { throw Unsupported(found[0]) }
        return found
    }

    private static func sizes(of modes: [CameraMode]) -> String {
        var texts: [String] = []
        for mode in modes.sorted(by: { $0.width.most * $0.height.most < $1.width.most * $1.height.most })
        where !texts.contains(mode.sizeText) { texts.append(mode.sizeText) }
        return texts.listed
    }

    private static func rates(of modes: [CameraMode]) -> String {
        var texts: [String] = []
        for text in modes.flatMap(\.rateTexts) where !texts.contains(text) { texts.append(text) }
        return texts.sorted { (Double($0) ?? 0) < (Double($1) ?? 0) }.listed
    }
}

// MARK: Sound

/// The forms of sound that a device can deliver.
public struct SoundModes: Hashable, Sendable, Codable {
    /// Samples per second, in order.
    public var sampleRates: [Int]
    /// Numbers of channels, in order.
    public var channels: [Int]

    public init(sampleRates: [Int], channels: [Int]) { (self.sampleRates, self.channels) = (sampleRates, channels) }
}

/// A request to a source of sound.
public struct SoundRequest: Hashable, Sendable, Codable {
    /// Samples per second; nil: any rate, preferably 48000.
    public var sampleRate: Int?
    /// nil: any number, preferably two.
    public var channels: Int?
    /// Bits per second of its track; nil: what is usual.
    public var bitRate: Int?
    /// What the device does not have becomes the nearest that it has.
    public var compromises: Bool

    public init(sampleRate: Int? = nil, channels: Int? = nil, bitRate: Int? = nil, compromises: Bool = false) {
        (self.sampleRate, self.channels) = (sampleRate, channels)
        (self.bitRate, self.compromises) = (bitRate, compromises)
    }

    /// How a device is opened.
    public struct Choice: Hashable, Sendable {
        public var sampleRate: Int
        public var channels: Int
        /// What is not as it was asked: half sentences, whose subject is the device.
        public var compromises: [String] = []
    }

    /// Chooses among the forms of a device.
    /// - Returns: nil if the device does not tell them.
    public func choice(among modes: SoundModes) throws(Unsupported) -> Choice? {
        guard let rate = Self.nearest(sampleRate ?? 48_000, modes.sampleRates),
            let count = Self.nearest(channels ?? 2, modes.channels)
        else { return nil }
        var choice = Choice(sampleRate: rate, channels: count)
        if let sampleRate, rate != sampleRate {
            guard compromises else {
                throw Unsupported(
                    "it cannot deliver \(sampleRate) Hz; it has \(modes.sampleRates.map(String.init).listed) Hz")
            }
            choice.compromises.append("it delivers \(rate) Hz, not \(sampleRate) Hz")
        }
        if let channels, count != channels {
            guard compromises else {
                throw Unsupported(
                    "it cannot deliver \(Self.count(channels)); it has \(modes.channels.map(String.init).listed)")
            }
            choice.compromises.append("it delivers \(Self.count(count)), not \(channels)")
        }
        return choice
    }

    /// Checks the bit rate for a form: AAC has 6144 bits at most in the 1024 samples of a channel
    /// (ISO/IEC 14496-3, 4.5.3.1).
    /// - Returns: what is not as it was asked: half sentences.
    public func check(sampleRate: Int, channels: Int) throws(Unsupported) -> [String] {
        let most = Self.mostBits(sampleRate: sampleRate, channels: channels)
        guard let bitRate, bitRate > most else { return [] }
        let form = "\(Self.count(channels)) of \(sampleRate) Hz"
        guard compromises else {
            throw Unsupported(
                "its sound cannot have \(bitRate) bits per second; \(form) \(channels == 1 ? "has" : "have") "
                    + "at most \(most)")
        }
        return ["its sound has \(most) bits per second, not \(bitRate), the most for \(form)"]
    }

    /// The highest bit rate of AAC.
    public static func mostBits(sampleRate: Int, channels: Int) -> Int { 6 * sampleRate * channels }

    private static func count(_ channels: Int) -> String { channels == 1 ? "1 channel" : "\(channels) channels" }

    private static func nearest(_ wanted: Int, _ values: [Int]) -> Int? {
        values.min { (abs($0 - wanted), $0) < (abs($1 - wanted), $1) }
    }
}
