import Content
import Farm
import Foundation
import Messaging

/// What a node has instead of the server's storage.
package struct NodeStorage: Sendable {
    /// The folder of the content cache.
    package var folder: String
    /// What that may take, in bytes.
    package var bound: Int64
    package var plugins: PluginGate.Policy
    /// Where the server gives content; nil: at the address where it gives work, and the port that it tells.
    package var address: String?

    package init(folder: String, bound: Int64, plugins: PluginGate.Policy, address: String? = nil) {
        (self.folder, self.bound, self.plugins, self.address) = (folder, bound, plugins, address)
    }
}

/// The same at work.
final class NodeContent: Sendable {
    let staging: ContentStaging
    let line: ContentLine
    private let storage: NodeStorage
    private let endpoint: String

    /// - Parameter failed: told that a running job does not get what it reads; called from any thread.
    init(
        _ storage: NodeStorage, _ configuration: AgentConfiguration, made: String,
        failed: @escaping @Sendable (JobID, JobFailure) -> Void
    ) throws(NodeAgent.Problem) {
        (self.storage, endpoint) = (storage, configuration.endpoint)
        // Workers write there, so it is to be there when they start.
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

    /// Asks the server where it gives content now.
    func heed(_ terms: WorkerTerms) {
        line.connect(to: storage.address ?? terms.contentPort.map { Self.endpoint(endpoint, port: $0) })
    }

    static func endpoint(_ work: String, port: UInt16) -> String {
        "\(work[..<(work.lastIndex(of: ":") ?? work.endIndex)]):\(port)"
    }
}
