import Foundation

extension JobKind {
    /// A reply with the times that files have where they come from, in the place of those of their copies.
    /// - Parameters:
    ///   - times: in nanoseconds since 1970, by path.
    ///   - payload: the job's.
    ///   - path: the path under which a file of the job is in `times`.
    public func withTimes(
        _ times: [String: Int64], inReply reply: Data, of payload: Data, _ path: (String) -> String
    ) throws -> Data {
        guard self == .probe, !times.isEmpty else { return reply }
        var value = try JSONDecoder().decode(ProbeJob.Reply.self, from: reply)
        let job = try JSONDecoder().decode(ProbeJob.self, from: payload)
        for (index, file) in job.files.enumerated() where index < value.files.count {
            if let time = times[path(file.path)] { value.files[index].info?.identity.modified = time }
        }
        return try JSONEncoder().encode(value)
    }
}
