import Content
import Farm
import Foundation
import Messaging

extension JobQueue.Configuration {
    /// Lets the nodes work here whose keys are in the farm's folder.
    /// - Throws: if the server's own key is missing or invalid.
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
        // Each slot of each node needs a connection.
        _ = ProcessLimit(.openFiles).raised(to: 16_384)
        // Above the epochs of every earlier queue: files of nodes that still work for one of them
        // then have other names.
        firstEpoch = UInt64(max(1, Int64(clamped: Date().timeIntervalSince1970 * 1_000_000)))
    }
}
