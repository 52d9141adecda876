import CFFmpeg
import Draft
import Files
import Glibc

/// Owns an `AVFormatContext` for writing and the file under it. A muxer that goes away before
/// ``finish()`` has returned removes its file: nothing half written stays.
final class Muxer {
    let path: String
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let keepsUnfinished: Bool
    private var isFinished = false
    private var opened = false

    /// - Parameters:
    ///   - format: libavformat's muxer: `mp4`, `mov`, `ipod` (m4a).
    ///   - keepsUnfinished: the file can be read without an end, and is never removed.
    init(path: String, format: String, keepsUnfinished: Bool = false) throws(MediaError) {
        self.keepsUnfinished = keepsUnfinished
        LibavLog.install()
        self.path = path
        var context: UnsafeMutablePointer<AVFormatContext>?
        // With the scheme a name such as `a:b.mp4` stays a file's name.
        let url = "file:" + path
        let result = avformat_alloc_output_context2(&context, nil, format, url)
        guard result >= 0, let context else { throw .libav(result, "write", path: path, fallback: .mux) }
        self.context = context
        // No version, no date: equal content is equal bytes.
        context.pointee.flags |= AVFMT_FLAG_BITEXACT
        // Everything is initialised: what is thrown from here on runs `deinit`.
        try check(avio_open2(&context.pointee.pb, url, AVIO_FLAG_WRITE, nil, nil), "write", path: path, .mux)
        opened = true
    }

    deinit {
        if opened { avio_closep(&context.pointee.pb) }
        avformat_free_context(context)
        if opened && !isFinished && !keepsUnfinished { Self.remove(path) }
    }

    /// Removes what may be removed: never a device that was named as output.
    private static func remove(_ path: String) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { unlink(path) }
    }

    func addStream() throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = avformat_new_stream(context, nil) else { throw .outOfMemory("write", path: path) }
        return stream
    }

    /// Writes the header. The muxer may change the streams' time bases with this.
    func begin(options: [String: String]) throws(MediaError) {
        var dictionary: OpaquePointer?
        defer { av_dict_free(&dictionary) }
        for (key, value) in options.sorted(by: { $0.key < $1.key }) { av_dict_set(&dictionary, key, value, 0) }
        try check(avformat_write_header(context, &dictionary), "write", path: path, .mux)
        if let unused = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX) {
            throw MediaError(
                .mux, "write", path: path,
                reason: "this build of FFmpeg does not know the option ‘\(String(cString: unused.pointee.key))’")
        }
    }

    /// Writes a packet whose times are in `timeBase`; the packet is emptied. Packets come in the
    /// order of their decoding times across all streams.
    func write(_ packet: Packet, to stream: UnsafeMutablePointer<AVStream>, timeBase: AVRational) throws(MediaError) {
        packet.raw.pointee.stream_index = stream.pointee.index
        packet.raw.pointee.pos = -1
        av_packet_rescale_ts(packet.raw, timeBase, stream.pointee.time_base)
        let result = av_write_frame(context, packet.raw)
        packet.clear()
        try check(result, "write", path: path, .mux)
    }

    /// Writes a packet of live tracks, whose packets come in any order across streams.
    func writeInterleaved(
        _ packet: Packet, to stream: UnsafeMutablePointer<AVStream>, timeBase: AVRational
    ) throws(MediaError) {
        packet.raw.pointee.stream_index = stream.pointee.index
        packet.raw.pointee.pos = -1
        av_packet_rescale_ts(packet.raw, timeBase, stream.pointee.time_base)
        try check(av_interleaved_write_frame(context, packet.raw), "write", path: path, .mux)
    }

    /// Ends a fragment and hands it to the system.
    func flush() throws(MediaError) {
        try check(av_interleaved_write_frame(context, nil), "write", path: path, .mux)
        // An index that waited for the first fragment is written by a flush of its own.
        for _ in 1...2 { try check(av_write_frame(context, nil), "write", path: path, .mux) }
        avio_flush(context.pointee.pb)
        if let error = context.pointee.pb?.pointee.error, error < 0 {
            throw .libav(error, "write", path: path, fallback: .mux)
        }
    }

    /// Writes the index, closes the file and waits until it is on the disk.
    func finish() throws(MediaError) {
        try check(av_write_trailer(context), "write", path: path, .mux)
        opened = false
        let result = avio_closep(&context.pointee.pb)
        if result < 0 {
            if !keepsUnfinished { Self.remove(path) }
            throw .libav(result, "write", path: path, fallback: .mux)
        }
        do throws(MediaError) {
            try Self.sync(path)
        } catch {
            if !keepsUnfinished { Self.remove(path) }
            throw error
        }
        isFinished = true
    }

    private static func sync(_ path: String) throws(MediaError) {
        try MediaError.writing(path) { () throws(Errno) in try OpenFile(path, .readOnly).sync() }
    }
}
