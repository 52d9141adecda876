import CFFmpeg
import Glibc

extension Packet {
    /// Writes all of the packet's bytes to an open file; the packet and the file stay the caller's.
    /// - Parameter path: the file's, for the error.
    /// - Throws: `mux`, `diskFull` and others that concern the file.
    func append(to descriptor: Int32, path: String) throws(MediaError) {
        var rest = UnsafeRawBufferPointer(start: raw.pointee.data, count: Int(raw.pointee.size))
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .libav(-errno, "write", path: path, fallback: .mux) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
