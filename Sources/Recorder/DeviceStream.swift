import Files
import Foundation
import Glibc
import Media
import Recording
import Values

/// What a device process sends to the recorder: records of a header and its bytes, over a pipe.
///
/// The header is four numbers of the machine's order: the kind and the number of bytes that follow
/// (32 bits each), and the time on the monotonic clock in nanoseconds (64 bits).
enum DeviceStream {
    enum Kind: UInt32 {
        /// JSON: ``LiveForm``. The first record.
        case form = 1
        /// The planes Y, U and V without gaps: the time is that of the picture.
        case picture
        /// One plane of 32-bit floats for each channel: the time is that of the first sample.
        case samples
        /// Why the device has ended: a sentence.
        case lost
        /// The time at which the place is heard that ``PlayerCommand/play`` names.
        case playing
        /// Nothing has happened.
        case alive
        /// What users should know: a sentence.
        case warning
    }

    struct Header {
        var kind: UInt32
        var size: UInt32
        /// Nanoseconds.
        var time: Int64
    }

    /// No record is longer: a picture of 16384×16384.
    static let longest = 402_653_184
}

/// What a source delivers to the recorder.
struct LiveForm: Hashable, Codable {
    var source: LiveInput.Form
    /// The size of the pictures that are sent.
    var width: Int
    var height: Int
}

/// How a process of this program is started: an option, and a value as JSON.
protocol ProcessLaunch: Codable {
    static var option: String { get }
    /// The name in messages.
    var name: String { get }
    /// It reads ``PlayerCommand``s from its standard input.
    var takesCommands: Bool { get }
}

extension ProcessLaunch {
    var takesCommands: Bool { false }

    /// The launch that a program's arguments describe; nil for others.
    init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == Self.option,
            let launch = try? JSONDecoder().decode(Self.self, from: Data(arguments[1].utf8))
        else { return nil }
        self = launch
    }

    var arguments: [String] {
        get throws { [Self.option, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)] }
    }
}

/// How a device process is started.
struct DeviceLaunch: Hashable, ProcessLaunch {
    /// The source's name in messages.
    var name: String
    var kind: LiveInput.Kind
    var input: LiveInput.Description
    /// The size of the pictures; nil: the source's.
    var width: Int?
    var height: Int?
    /// The pictures are turned clockwise by these degrees, and then mirrored.
    var degrees = 0
    var isMirrored = false
    /// The form of the sound that is sent; nil: the source's, with two channels at most, or what
    /// was asked of it.
    var sampleRate: Int?
    var channels: Int?
    /// What is asked of the device.
    var camera = CameraRequest()
    var sound = SoundRequest()

    static let option = "--device"

    init(name: String, kind: LiveInput.Kind, input: LiveInput.Description) {
        (self.name, self.kind, self.input) = (name, kind, input)
    }
}

/// How a process is started that plays the background.
struct PlayerLaunch: Hashable, ProcessLaunch {
    /// libavformat's output format, and what it opens; nil: the default device.
    var format: String
    var device: String?
    var sound: BackgroundSound.Description

    static let option = "--play"
    var takesCommands: Bool { true }

    /// The name in messages.
    var name: String { sound.path }
    /// That of the device.
    var output: String { device ?? "default" }

    init(format: String, device: String?, sound: BackgroundSound.Description) {
        (self.format, self.device, self.sound) = (format, device, sound)
    }
}

/// What the recorder asks of the process that plays: one JSON object per line on its standard
/// input.
enum PlayerCommand: Hashable, Codable {
    /// Plays from a time of the draft on, so many seconds of it in each second.
    case play(Time, pace: Double)
    case stop
}

/// The monotonic clock.
enum Clock {
    /// Nanoseconds.
    static var now: Int64 { read(CLOCK_MONOTONIC) }
    /// Nanoseconds since 1970.
    static var wall: Int64 { read(CLOCK_REALTIME) }

    static var both: SourceClock.Now { SourceClock.Now(monotonic: now, wall: wall) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
