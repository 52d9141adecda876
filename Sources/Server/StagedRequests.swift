import Foundation
import Glibc
import HostCore

/// The requests of a batch that is being handed in, in a file that has no name: it is gone with the
/// batch, and with the server however that ends. In memory they would be as large as a client
/// likes.
final class StagedRequests {
    private let descriptor: Int32
    private var ranges: [Range<Int>] = []
    private var size = 0

    /// - Parameter folder: the server's own.
    init(in folder: String) throws(HostError) {
        let path = "\(folder)/.staged-\(UInt64.random(in: .min ... .max))"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.lack(errno) }
        unlink(path)
    }

    deinit { close(descriptor) }

    var count: Int { ranges.count }

    func append(_ request: Data) throws(HostError) {
        var done = 0
        while done < request.count {
            let written = request.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, request.count - done, off_t(size + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.lack(errno) }
            done += written
        }
        ranges.append(size..<size + request.count)
        size += request.count
    }

    /// All of them, in order. They lie in the file's pages, not in memory of the server's own.
    func all() throws(HostError) -> [Data] {
        guard size > 0 else { return ranges.map { _ in Data() } }
        let count = size
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw Self.lack(errno)
        }
        let whole = Data(bytesNoCopy: start, count: count, deallocator: .custom { munmap($0, $1) })
        return ranges.map { whole[$0] }
    }

    private static func lack(_ code: Int32) -> HostError {
        HostError(.inputOutput, "The server cannot keep the submission: \(systemText(code)).")
    }
}
