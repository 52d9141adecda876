import PluginHosting

/// The formats and sizes for which an instance is created.
struct CheckSetting: Equatable {
    var format: PluginFormat
    /// Pixels; of sound, samples in a block.
    var width: Int
    /// Pixels; of sound, channels.
    var height: Int
    /// How many threads the effect may keep busy.
    var maximumThreads = 1
    /// The meaning of alpha in RGB pictures. Renders lend pictures without alpha, but to sources.
    var alpha = PluginFrame.Alpha.none

    var isSound: Bool { format == .pcmFloatPlanar }
    /// Bytes of a sample.
    var sample: Int { format == .rgbaFloat || isSound ? 4 : 1 }
    /// Bytes of a pixel in the first plane; of sound, of a sample.
    var pixel: Int {
        switch format {
        case .rgba8: 4
        case .rgbaFloat: 16
        case .yuv420p8: 1
        case .pcmFloatPlanar: 4
        }
    }

    /// Bytes in a row of each plane, and its rows. For sound, a row is a channel.
    /// - Parameter margin: for sound, samples more than in the block.
    func planes(margin: Int = 0) -> [(rowBytes: Int, rows: Int)] {
        isSound ? [(4 * (width + margin), height)] : format.planes(width: width, height: height)
    }

    /// The same with each meaning of alpha, where the format has one.
    var everyAlpha: [CheckSetting] {
        guard format == .rgba8 || format == .rgbaFloat else { return [self] }
        return [PluginFrame.Alpha.none, .straight, .premultiplied].map { alpha in
            var setting = self
            setting.alpha = alpha
            return setting
        }
    }

    /// The one of ``everyAlpha`` whose turn it is.
    func inTurn(_ number: Int) -> CheckSetting {
        let all = everyAlpha
        return all[number % all.count]
    }

    /// A row of a plane as a plugin finds it in its output: black, opaque where there is no alpha;
    /// silence.
    func clearRow(plane: Int, bytes: Int) -> [UInt8] {
        let pixel: [UInt8] =
            switch format {
            case .rgba8: [0, 0, 0, alpha == .none ? 255 : 0]
            case .rgbaFloat: [UInt8](repeating: 0, count: 12) + (alpha == .none ? Self.one : [0, 0, 0, 0])
            case .yuv420p8: [plane == 0 ? 16 : 128]
            case .pcmFloatPlanar: [0]
            }
        return (0..<bytes).map { pixel[$0 % pixel.count] }
    }

    private static let one = withUnsafeBytes(of: Float(1)) { Array($0) }

    var forPeople: String {
        if isSound { return "\(width) samples, \(height == 1 ? "mono" : "\(height) channels")" }
        let picture = "\(width)×\(height) \(format.name)"
        return alpha == .none ? picture : "\(picture) with \(alpha) alpha"
    }

    /// Samples per second.
    static let sampleRate = 48_000
    /// Frames per second.
    static let frameRate = 30
    /// Frames, or blocks, in the effect's range.
    static let length = 100
    /// Even, so that what goes wrong at odd sizes is found by the tests of sizes; not round, so
    /// that blocks do not fit.
    static func usual(_ format: PluginFormat) -> CheckSetting {
        format == .pcmFloatPlanar
            ? CheckSetting(format: format, width: 441, height: 2) : CheckSetting(format: format, width: 52, height: 30)
    }

    /// The usual size, and an odd one.
    static func few(_ format: PluginFormat) -> [CheckSetting] {
        format == .pcmFloatPlanar
            ? [usual(format)] : [usual(format), CheckSetting(format: format, width: 37, height: 23)]
    }

    /// Sizes whose sides are even and odd in every combination.
    static func parities(_ format: PluginFormat) -> [CheckSetting] {
        format == .pcmFloatPlanar
            ? [usual(format)]
            : few(format) + [(52, 31), (37, 30)].map { CheckSetting(format: format, width: $0.0, height: $0.1) }
    }

    /// The same with larger frames, in which threads meet for longer.
    var larger: CheckSetting {
        var setting = self
        (setting.width, setting.height) = isSound ? (4096, height) : (320, 180)
        return setting
    }

    /// Sizes at which something usually goes wrong: one pixel, one vector, odd, odd and larger than
    /// a tile, large. For sound: lengths.
    static func sizes(_ format: PluginFormat) -> [CheckSetting] {
        let sizes =
            format == .pcmFloatPlanar
            ? [(1, 1), (1, 2), (7, 2), (64, 1), (441, 6), (1024, 2), (4096, 8)]
            : [(1, 1), (8, 8), (2, 1), (1, 3), (37, 23), (321, 241), (3840, 2160)]
        return sizes.map { CheckSetting(format: format, width: $0.0, height: $0.1) }
    }
}
