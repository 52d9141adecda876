import Content
import Farm
import Foundation
import Messaging

extension JobQueue.Configuration {
    /// Lets the nodes work here whose keys the farm's folder allows.
    /// - Throws: where the server's own key is missing or cannot be used.
    package mutating func listen(
        at endpoints: [String], _ roots: PathRoots = PathRoots(), contentPort: UInt16? = nil
    ) throws(HostError) {
        let keys = FarmKeys()
        do throws(KeyFile.Problem) {
            listening = Listening(
                endpoints: endpoints, key: try keys.server(), allowed: AllowList(keys.allowed().holders([.node])),
                keys: keys)
        } catch {
            throw HostError(.noInput, error.description)
        }
        listening?.roots = roots
        listening?.content = ContentSettings(
            port: contentPort, memory: SegmentCache.baseFolder + "/content"
        ) { JobReach(kind: $0, payload: $1) }
        // A connection for each slot of each node.
        _ = ProcessLimit(.openFiles).raised(to: 16_384)
        // Above those of every queue before this one: what a node still does for one of them has other names then.
        firstEpoch = UInt64(max(1, Int64(clamped: Date().timeIntervalSince1970 * 1_000_000)))
    }
}
