import Foundation
import Values

/// What the host asks of the recorder, the process that owns encoders and devices: one JSON object
/// per line on the recorder's standard input.
public enum RecorderCommand: Hashable, Sendable, Codable {
    /// Opens the sources; the answer is ``RecorderReport/opened`` or
    /// ``RecorderReport/openFailed(_:)``.
    case open(SourceRequest)
    /// Records a part into a new file, and a second picture into another one, up to a length in
    /// flicks, and plays the background from the part's place on. Reports follow: `started`,
    /// `progress`, `partEnded`.
    case start(path: String, limit: Int64?, PartPlace)
    /// Ends the part.
    case stop
    /// Joins the readable ones of these files, and of those of the second picture.
    case join([String], output: String)
    /// Writes the picture that the source shows now to a path, as PNG or JPEG by its suffix.
    case photo(String)
    /// Puts effects on the pictures from now on, in place of those that have ended.
    case effects(LiveLaunch)
    /// Closes the sources and ends.
    case close
}

/// What the recorder reports: one JSON object per line on its standard output.
public enum RecorderReport: Hashable, Sendable, Codable {
    case opened
    case openFailed(String)
    /// The sources that are being opened have parts with this container. It is MP4 where nothing is
    /// reported.
    case container(TakeContainer)
    /// The first frame of the part is written.
    case started
    case progress(PartProgress)
    case partEnded(PartProgress, PartEndReport)
    /// The length in flicks and the bytes of the joined file, whether it has a picture, the paths
    /// of parts that are not all in it, and the length of the second picture.
    case joined(duration: Int64, size: Int64, hasPicture: Bool, damaged: [String], second: Int64? = nil)
    case nothingRecorded(damaged: [String])
    case joinFailed(String)
    /// A picture is written to this path.
    case photoTaken(String)
    /// It cannot be: a sentence.
    case photoFailed(String)
    /// A source is lost while no part is recorded, and all are closed: a sentence.
    case lost(String)
    case warning(String)
    /// The live effects are given up, and pictures are recorded without them: half a sentence.
    case effectsEnded(String)
    /// Nothing has happened: see ``silence``.
    case alive

    /// A recorder that has reported nothing for so long hangs, in seconds. It says each second that
    /// it is alive.
    public static let silence = 5.0
}

/// How far a part is.
public struct PartProgress: Hashable, Sendable, Codable {
    /// Flicks.
    public var duration: Int64
    /// Bytes.
    public var size: Int64
    /// Pictures written, and those that came too fast to be encoded.
    public var frames: Int
    public var lost: Int
    /// Bytes that are free on the disk; nil where that is not known.
    public var free: Int64?
    /// The highest level since the last report, in dBFS; nil without sound.
    public var level: Double?

    public init(
        duration: Int64 = 0, size: Int64 = 0, frames: Int = 0, lost: Int = 0, free: Int64? = nil, level: Double? = nil
    ) {
        (self.duration, self.size, self.frames, self.lost) = (duration, size, frames, lost)
        (self.free, self.level) = (free, level)
    }
}

public enum PartEndReport: Hashable, Sendable, Codable {
    case stopped, limit
    case lost(String)
    case failed(String)
}

extension RecorderReport {
    private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    /// The event of the state machine; nil for what is none.
    /// - Parameter file: the name of the file that is being joined.
    public func event(joining file: String) -> Recording.Event? {
        switch self {
        case .opened: return .opened
        case .openFailed(let reason): return .openFailed(reason)
        case .started: return .started
        case .progress(let progress):
            return .progress(duration: Time(flicks: progress.duration), size: progress.size, free: progress.free)
        case .partEnded(let progress, let end):
            let reason: Recording.PartEnd =
                switch end {
                case .stopped: .stopped
                case .limit: .limit
                case .lost(let reason): .lost(reason)
                case .failed(let reason): .failed(reason)
                }
            return .partEnded(duration: Time(flicks: progress.duration), size: progress.size, reason)
        case .joined(let duration, let size, let hasPicture, let damaged, let second):
            let made = RecordedFile(
                name: file, duration: Time(flicks: duration), size: size, hasPicture: hasPicture,
                second: second.map { Time(flicks: $0) })
            // The journal gets only records that it can read back.
            guard case .joined? = JournalRecord(line: JournalRecord.joined(take: 1, made).line) else {
                return .joinFailed("its length or size is impossible")
            }
            return .joined(made, damaged: damaged.map(Self.name))
        case .nothingRecorded(let damaged): return .nothingRecorded(damaged: damaged.map(Self.name))
        case .joinFailed(let reason): return .joinFailed(reason)
        case .photoTaken(let path): return .photoTaken(path)
        case .photoFailed(let reason): return .photoFailed(reason)
        case .lost(let reason): return .sourcesLost(reason)
        case .container, .warning, .effectsEnded, .alive: return nil
        }
    }
}

/// Which sources are recorded, and how.
public struct SourceRequest: Hashable, Sendable, Codable {
    /// nil: no picture.
    public var video: VideoSource?
    /// A second picture, in a file of its own, in the size of its source; nil: none.
    public var second: VideoSource?
    public var audio: [AudioSource]
    /// All sound is in one track; otherwise each source has its own.
    public var mixes: Bool
    /// The size of the recorded picture in pixels, even; nil: the source's.
    public var width: Int?
    public var height: Int?
    /// Frames per second that are asked of the source; nil: 30, or what is nearest to it.
    public var frameRate: Rational?
    /// The mouse pointer is seen on screens and windows.
    public var hasPointer: Bool
    /// The picture is turned clockwise by 0, 90, 180 or 270 degrees.
    public var degrees = 0
    /// The picture of a camera is scaled to that size, as those of other sources always are.
    public var isScaled = false
    /// Left and right of the picture are exchanged, after that.
    public var isMirrored: Bool
    /// What is played while parts are recorded; nil: nothing.
    public var background: PlayedSound?
    /// The effects that are recorded with the picture; nil: none.
    public var effects: LiveLaunch?
    public var encoding: TakeEncoding
    /// What a device does not have becomes the nearest that it has.
    public var compromises: Bool

    /// The size before the picture is turned.
    public var sourceWidth: Int? { degrees % 180 == 0 ? width : height }
    public var sourceHeight: Int? { degrees % 180 == 0 ? height : width }

    /// What is asked of the source of the second picture: the form of the recorded picture is the
    /// first one's.
    public var ofSecond: SourceRequest {
        var request = self
        (request.width, request.height, request.frameRate) = (nil, nil, nil)
        (request.degrees, request.isMirrored, request.isScaled) = (0, false, false)
        return request
    }

    /// Frames per second where a source can deliver any.
    public var usualFrameRate: Rational { frameRate ?? Rational(30) }

    public init(
        video: VideoSource?, audio: [AudioSource], mixes: Bool = false, width: Int? = nil, height: Int? = nil,
        frameRate: Rational? = nil, hasPointer: Bool = true, isMirrored: Bool = false,
        encoding: TakeEncoding = TakeEncoding(), compromises: Bool = false
    ) {
        (self.video, self.audio, self.mixes) = (video, audio, mixes)
        (self.width, self.height, self.frameRate) = (width, height, frameRate)
        (self.hasPointer, self.isMirrored) = (hasPointer, isMirrored)
        (self.encoding, self.compromises) = (encoding, compromises)
    }
}
