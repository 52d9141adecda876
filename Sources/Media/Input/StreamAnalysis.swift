import CFFmpeg
import Content

/// What `avformat_find_stream_info` found out about a file's streams, for later openings of the
/// same version of the file.
///
/// libav decodes several frames to learn what a header leaves open, such as the pixel format of
/// H.264. That costs tens of milliseconds for 1080p, and a render opens each file many times: for
/// each part, its picture and its sound.
///
/// Only MP4 and QuickTime are remembered. Their index has the times of all packets, so a demuxer
/// without the analysis gives the same packets (`StreamAnalysisTests` compares them, also after
/// seeks). Nothing is remembered of a file whose analysis logged an error.
///
/// `@unchecked`: nothing changes after `init`.
final class StreamAnalysis: @unchecked Sendable {
    private struct Stream {
        var parameters: UnsafeMutablePointer<AVCodecParameters>
        var averageRate: AVRational
        var rate: AVRational
        var pixelAspect: AVRational
        var start: Int64
        var duration: Int64
    }

    /// What the header says of each stream; another header means another file.
    private let headers: [StreamHeader]
    private var streams: [Stream] = []
    private var (start, duration): (Int64, Int64)
    /// The streams that libav chose, by kind.
    private let choice: [AVMediaType: Int]

    /// - Parameters:
    ///   - headers: taken before the analysis.
    ///   - choice: the best stream of each kind of media.
    /// - Returns: nil without memory.
    private init?(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ headers: [StreamHeader], choice: [AVMediaType: Int]
    ) {
        (self.headers, self.choice) = (headers, choice)
        (start, duration) = (context.pointee.start_time, context.pointee.duration)
        for index in headers.indices {
            guard let stream = context.pointee.streams[index], let copy = avcodec_parameters_alloc() else { return nil }
            streams.append(
                Stream(
                    parameters: copy, averageRate: stream.pointee.avg_frame_rate, rate: stream.pointee.r_frame_rate,
                    pixelAspect: stream.pointee.sample_aspect_ratio, start: stream.pointee.start_time,
                    duration: stream.pointee.duration))
            guard avcodec_parameters_copy(copy, stream.pointee.codecpar) >= 0 else { return nil }
        }
    }

    deinit {
        for stream in streams {
            var parameters: UnsafeMutablePointer<AVCodecParameters>? = stream.parameters
            avcodec_parameters_free(&parameters)
        }
    }

    /// The stream of a kind that libav chose after the analysis; nil: none.
    func best(_ kind: AVMediaType) -> Int? { choice[kind] }

    /// Gives the findings to a demuxer that was opened without an analysis.
    /// - Returns: false without memory; the demuxer is then to analyse the file.
    private func apply(to context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        for (index, known) in streams.enumerated() {
            guard let stream = context.pointee.streams[index],
                avcodec_parameters_copy(stream.pointee.codecpar, known.parameters) >= 0
            else { return false }
            stream.pointee.avg_frame_rate = known.averageRate
            stream.pointee.r_frame_rate = known.rate
            stream.pointee.sample_aspect_ratio = known.pixelAspect
            stream.pointee.start_time = known.start
            stream.pointee.duration = known.duration
        }
        (context.pointee.start_time, context.pointee.duration) = (start, duration)
        return true
    }

    // MARK: The process' memory

    /// A few kilobytes for each file.
    private static let known = FileMemory<FileStamp, StreamAnalysis>(most: 64)

    /// Whether the packets of a format do not depend on the analysis.
    static func mayKnow(_ format: String) -> Bool { format.contains("mp4") }

    /// Applies what is known of a file to a demuxer that has just been opened.
    /// - Returns: nil where nothing is known.
    static func recall(_ stamp: FileStamp, for context: UnsafeMutablePointer<AVFormatContext>) -> StreamAnalysis? {
        guard let found = known[stamp], found.headers == StreamHeader.all(of: context), found.apply(to: context) else {
            return nil
        }
        return found
    }

    /// Remembers what an analysis found.
    /// - Parameter headers: taken before the analysis.
    static func remember(
        _ stamp: FileStamp, _ headers: [StreamHeader], _ context: UnsafeMutablePointer<AVFormatContext>,
        choice: [AVMediaType: Int]
    ) {
        // A stream that was found while reading is in no header.
        guard headers.count == Int(context.pointee.nb_streams),
            let analysis = StreamAnalysis(context, headers, choice: choice)
        else { return }
        known.keep(analysis, for: stamp)
    }

    /// Whether anything is known of a file.
    static func knows(_ stamp: FileStamp) -> Bool { known[stamp] != nil }
}

/// What a container's header says of a stream.
struct StreamHeader: Equatable {
    private let codec: AVCodecID
    private let timeBase: [Int32]
    private let size: [Int32]
    private let frames: Int64
    private let duration: Int64
    private let indexed: Int32
    private let extradata: [UInt8]

    private init(_ stream: UnsafeMutablePointer<AVStream>) {
        let (parameters, base) = (stream.pointee.codecpar.pointee, stream.pointee.time_base)
        (codec, timeBase) = (parameters.codec_id, [base.num, base.den])
        size = [parameters.width, parameters.height, parameters.sample_rate]
        (frames, duration) = (stream.pointee.nb_frames, stream.pointee.duration)
        indexed = avformat_index_get_entries_count(stream)
        extradata = [UInt8](
            UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size))))
    }

    static func all(of context: UnsafeMutablePointer<AVFormatContext>) -> [StreamHeader] {
        (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0].map(StreamHeader.init) }
    }
}
