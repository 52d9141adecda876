import Draft
import Values

/// What a demuxer reads of a file, and by which clock.
struct FilePart {
    /// The bytes that are read as if they were all of the file; nil: all are.
    var bytes: Range<Int64>?
    /// Source time of the part's own zero.
    var time = Time.zero
    /// Where the clock jumps within it.
    var clock: ClockJumps?
    /// Pages of Ogg are missing in the file.
    var lacksPages = false

    /// All of a file whose clock runs through.
    static let whole = FilePart()

    /// The parts that are read one after the other; at least one.
    static func parts(of info: MediaInfo) -> [FilePart] {
        let lacksPages = info.format == "ogg" && info.breaks != nil
        return switch info.joints {
        case nil: [FilePart(lacksPages: lacksPages)]
        case .clock(let clock): [FilePart(clock: clock)]
        case .links(let links):
            links.filter(\.isPlayed).map {
                FilePart(bytes: $0.start..<max($0.start, $0.end), time: $0.time, lacksPages: lacksPages)
            }
        }
    }
}
