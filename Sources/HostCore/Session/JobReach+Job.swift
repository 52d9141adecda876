import Composition
import Farm
import Foundation
import Jobs
import Values

extension JobReach {
    /// Returns the files that a job of the host reaches; nil for any other job.
    init?(kind: String, payload: Data) {
        guard let job = try? Job(kind: kind, payload: payload) else { return nil }
        self.init(reads: [], writes: [])
        for (path, uses) in job.paths {
            for use in uses {
                switch use {
                case .reads, .hands, .searches, .joins: reads.insert(path)
                case .loads(let files):
                    reads.insert(path)
                    for file in files { reads.insert(absolutePath("../\(file)", in: path)) }
                case .writes: writes.insert(path)
                }
            }
        }
    }
}
