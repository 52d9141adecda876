import CFFmpeg
import Files

extension Packet {
    /// Writes all of the packet's bytes to an open file; the packet stays the caller's.
    func append(to file: borrowing OpenFile) throws(Errno) {
        try file.write(UnsafeBufferPointer(start: raw.pointee.data, count: Int(raw.pointee.size)))
    }
}

extension MediaError {
    /// Runs `body`, and names the file in its error.
    /// - Throws: `mux`, `diskFull` and others that concern the file.
    static func writing<Result: ~Copyable>(
        _ path: String, _ body: () throws(Errno) -> Result
    ) throws(MediaError) -> Result {
        do throws(Errno) { return try body() } catch {
            throw .libav(-error.rawValue, "write", path: path, fallback: .mux)
        }
    }
}
