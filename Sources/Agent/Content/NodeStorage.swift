import Content
import Farm
import Foundation
import Messaging

/// The settings of a node without the server's storage.
package struct NodeStorage: Sendable {
    /// The folder of the content cache.
    package var folder: String
    /// The size limit of the cache, in bytes.
    package var bound: Int64
    package var plugins: PluginGate.Policy
    /// The address of the server's content service; nil for the work address with the port that the
    /// server announces.
    package var address: String?

    package init(folder: String, bound: Int64, plugins: PluginGate.Policy, address: String? = nil) {
        (self.folder, self.bound, self.plugins, self.address) = (folder, bound, plugins, address)
    }
}

/// The running content cache of a node.
final class NodeContent: Sendable {
    let staging: ContentStaging
    let line: ContentLine
    private let storage: NodeStorage
    private let endpoint: String

    /// Sets up the cache.
    /// - Parameter failed: called, from any thread, when a running job cannot get what it reads.
    init(
        _ storage: NodeStorage, _ configuration: AgentConfiguration, made: String,
        failed: @escaping @Sendable (JobID, JobFailure) -> Void
    ) throws(NodeAgent.Problem) {
        (self.storage, endpoint) = (storage, configuration.endpoint)
        // Workers get write access to the folder, so it must exist when they start.
        try? FileManager.default.createDirectory(
            atPath: made, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do throws(ContentStore.Problem) {
            let store = try ContentStore(folder: storage.folder, bound: storage.bound)
            let fetch = ContentFetch(store: store, log: configuration.logger)
            staging = ContentStaging(
                fetch: fetch,
                supply: try ContentSupply(fetch, pipe: made + "/" + PartialContent.pipeName, failed: failed),
                gate: PluginGate(storage.plugins, program: configuration.workerPath), made: made)
        } catch {
            throw NodeAgent.Problem(description: "The content cache ‘\(storage.folder)’ \(error.reason).")
        }
        do throws(ZMQError) { line = try ContentLine(configuration) } catch {
            throw NodeAgent.Problem(description: "The node cannot be set up: \(error).")
        }
    }

    /// Connects to the content service that the server announces.
    func adopt(_ terms: WorkerTerms) {
        line.connect(to: storage.address ?? terms.contentPort.map { Self.endpoint(endpoint, port: $0) })
    }

    static func endpoint(_ work: String, port: UInt16) -> String {
        "\(work[..<(work.lastIndex(of: ":") ?? work.endIndex)]):\(port)"
    }
}
