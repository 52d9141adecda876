import CFFmpeg
import CPosix
import Files
import Glibc
import Values

/// Numbered picture files from segments whose every frame is a whole picture file
/// (``VideoCodec/png``, ``VideoCodec/jpeg``).
public enum ImageEncoder {
    /// Writes `1.png`, `2.png` and so on into a new folder.
    /// - Parameters:
    ///   - segments: in order, without gaps, from frame 0.
    ///   - folder: must not exist. It is complete and on the disk when this returns, and removed
    ///     where it throws.
    ///   - suffix: of the names, without the dot.
    ///   - progress: called for every picture with the share that is done, 0…1; what it throws ends
    ///     the work.
    /// - Returns: pictures written.
    /// - Throws: `wrongContent` naming the segment that is not as planned, `mux`, `diskFull`,
    ///   `cancelled` and others.
    public static func write(
        segments: [Assembler.Segment], folder: String, suffix: String, frameRate: Rational,
        progress: @escaping (Double) throws -> Void = { _ in }
    ) throws(MediaError) -> Int {
        guard mkdir(folder, 0o777) == 0 else { throw .libav(-errno, "write", path: folder, fallback: .mux) }
        do throws(MediaError) {
            let count = try writeAll(segments, folder, suffix, frameRate, progress)
            try sync(folder)
            return count
        } catch {
            remove(folder)
            throw error
        }
    }

    private static func writeAll(
        _ segments: [Assembler.Segment], _ folder: String, _ suffix: String, _ frameRate: Rational,
        _ progress: @escaping (Double) throws -> Void
    ) throws(MediaError) -> Int {
        let total = max(1, segments.reduce(0) { $0 + $1.frameCount })
        let packet = try Packet()
        var written = 0
        for segment in segments {
            let done = Double(written) / Double(total)
            let place = written
            let reader = try SegmentReader(segment, frameRate: frameRate) { _ in try progress(done) }
            while let frame = try reader.next(packet) {
                try write(packet, to: "\(folder)/\(place + frame + 1).\(suffix)")
                written += 1
            }
        }
        return written
    }

    private static func write(_ packet: Packet, to path: String) throws(MediaError) {
        try MediaError.writing(path) { () throws(Errno) in
            let file = try OpenFile(
                path, .writeOnly, [.create, .exclusiveCreate], permissions: .init(rawValue: 0o666))
            try packet.append(to: file)
        }
    }

    /// One wait for the whole file system is cheaper than one for each of thousands of files.
    private static func sync(_ folder: String) throws(MediaError) {
        try MediaError.writing(folder) { () throws(Errno) in
            let file = try OpenFile(folder, .readOnly, .directory)
            guard cposix_sync_file_system(file.descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    private static func remove(_ folder: String) {
        guard let entries = opendir(folder) else { return }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { unlink("\(folder)/\(name)") }
        }
        closedir(entries)
        rmdir(folder)
    }
}
