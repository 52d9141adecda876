import Farm
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// The settings of a node that works for a farm.
package struct AgentConfiguration: Sendable {
    /// The server's address, such as `tcp://farm.example:7700`.
    package var endpoint: String
    package var name: String
    package var key: KeyPair
    package var server: PublicKey
    package var slots: Int
    package var tags: [String]
    /// The folders that the farm shares, with their paths on this machine.
    package var roots = PathRoots()
    /// The content cache, for a node without the server's storage; nil for a node that shares it.
    package var storage: NodeStorage?
    /// The folder that keeps results until the server has acknowledged them.
    package var spool: String
    /// The time that running jobs may still take after the first signal.
    package var drainLimit: Duration
    /// The node's build; the server refuses a node of another build.
    package var engine: String
    /// The path of the worker program.
    package var workerPath: String
    /// See ``Farm/JobQueue/Configuration/explainsFault``.
    package var explainsFault: @Sendable (Data) -> String? = { _ in nil }
    package var logger: Logger
}

/// The facts that the node reports about its machine.
enum Machine {
    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    /// The machine's memory in bytes.
    static var memory: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }
}
