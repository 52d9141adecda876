import Farm
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// How a node works for a farm.
package struct AgentConfiguration: Sendable {
    /// The server's, such as `tcp://farm.example:7700`.
    package var endpoint: String
    package var name: String
    package var key: KeyPair
    package var server: PublicKey
    package var slots: Int
    package var tags: [String]
    /// Where this machine has the farm's folders.
    package var roots = PathRoots()
    /// What the node has where it does not share the server's storage; nil: it does.
    package var storage: NodeStorage?
    /// The folder of results that were not acknowledged.
    package var spool: String
    /// Jobs that run may go on for this long after the first signal.
    package var drainLimit: Duration
    /// The build; the server refuses a node of another build.
    package var engine: String
    /// The program of the workers.
    package var workerPath: String
    /// See ``Farm/JobQueue/Configuration/explainsFault``.
    package var explainsFault: @Sendable (Data) -> String? = { _ in nil }
    package var logger: Logger
}

/// What the node says of its machine.
enum Machine {
    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    /// Bytes.
    static var memory: Int64 { Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }
}
