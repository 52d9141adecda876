import Files
import Foundation
import Glibc
import HostCore

/// The requests of a batch that is being submitted, in an unnamed file. The file disappears with
/// the batch, and with the server however it ends. In memory, clients could make them arbitrarily
/// large.
final class StagedRequests {
    private let file: OpenFile
    private var ranges: [Range<Int>] = []
    private var size = 0

    /// Creates the file.
    /// - Parameter folder: the server's own folder.
    init(in folder: String) throws(HostError) {
        let path = "\(folder)/.staged-\(UInt64.random(in: .min ... .max))"
        do throws(Errno) {
            file = try OpenFile(
                path, .readWrite, [.create, .exclusiveCreate, .noFollow], permissions: .ownerReadWrite)
        } catch {
            throw Self.lack(error)
        }
        unlink(path)
    }

    var count: Int { ranges.count }

    func append(_ request: Data) throws(HostError) {
        do throws(Errno) { try file.write(request, at: Int64(size)) } catch { throw Self.lack(error) }
        ranges.append(size..<size + request.count)
        size += request.count
    }

    /// Returns all requests, in order. The data is mapped from the file, and not copied to memory.
    func all() throws(HostError) -> [Data] {
        guard size > 0 else { return ranges.map { _ in Data() } }
        let count = size
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, file.descriptor.rawValue, 0),
            start != MAP_FAILED
        else {
            throw Self.lack(Errno(rawValue: errno))
        }
        let whole = Data(bytesNoCopy: start, count: count, deallocator: .custom { munmap($0, $1) })
        return ranges.map { whole[$0] }
    }

    private static func lack(_ error: Errno) -> HostError {
        HostError(.inputOutput, "The server cannot store the submission: \(error).")
    }
}
