/// What `sbatch` reads for a node: a shell that becomes the node, so that the signals for the shell are the node's.
public struct BatchScript: Hashable, Sendable {
    /// The job's name, which is the node's and its key's.
    public var name: String
    /// The program `cutroom-worker`.
    public var worker: String
    /// Where the server listens.
    public var endpoint: String
    public var key: String
    public var serverKey: String
    /// The folder of its unacknowledged results.
    public var spool: String
    public var log: String
    public var resources: NodeResources
    /// Minutes; nil: the partition's.
    public var minutes: Int?
    public var tags: String?

    public init(
        name: String, worker: String, endpoint: String, key: String, serverKey: String, spool: String, log: String,
        resources: NodeResources, minutes: Int?, tags: String? = nil
    ) {
        (self.name, self.worker, self.endpoint, self.key) = (name, worker, endpoint, key)
        (self.serverKey, self.spool, self.log, self.resources) = (serverKey, spool, log, resources)
        (self.minutes, self.tags) = (minutes, tags)
    }

    public var text: String {
        var options = [
            "--job-name=\(name)", "--nodes=1", "--ntasks=1", "--no-requeue", "--output=\(log.escapedForSlurm)",
            "--open-mode=append", "--signal=B:TERM@\(resources.warning)",
        ]
        if let minutes { options.append("--time=\(minutes)") }
        options += resources.options
        // A job is ended by SIGKILL soon after the warning: what runs is given back before.
        var words = [
            worker, "--connect", endpoint, "--name", name, "--key", key, "--server-key", serverKey, "--spool", spool,
            "--drain-seconds", "\(resources.drainSeconds)",
        ]
        if let tags { words += ["--tags", tags] }
        let command = words.map(\.quotedForShell).joined(separator: " ")
        return """
            #!/bin/bash
            \(options.map { "#SBATCH " + $0.quotedForSlurm }.joined(separator: "\n"))
            exec \(command) --slots "${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}"

            """
    }
}

/// What a node needs of the cluster, as `sbatch` has it.
public struct NodeResources: Hashable, Sendable {
    public var partition: String?
    public var account: String?
    public var qos: String?
    public var constraint: String?
    public var memory: String?
    public var cpusPerTask: Int?
    /// Seconds before its end at which a node is warned.
    public var warning = 30
    /// Further arguments of `sbatch`.
    public var more: [String] = []

    public init() {}

    var options: [String] {
        let named: [(String, String?)] = [
            ("partition", partition), ("account", account), ("qos", qos), ("constraint", constraint), ("mem", memory),
            ("cpus-per-task", cpusPerTask.map { "\($0)" }),
        ]
        return named.compactMap { name, value in value.map { "--\(name)=\($0)" } }
    }

    /// How long a node may go on after a warning: jobs are given back well before the cluster kills what is left.
    var drainSeconds: Int { max(1, warning * 2 / 3) }

    /// The minutes that a node may live, of those that it might: nodes that were submitted together do not end together.
    /// - Parameter minutes: the most.
    public static func lifetime(of number: Int, within minutes: Int) -> Int {
        // Multiples of the golden ratio lie far from their neighbours.
        let place = (Double(number) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        return max(1, minutes - Int(Double(minutes) * 0.25 * place))
    }

    /// Minutes of a time as `sbatch --time` takes it: `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes`,
    /// `days-hours:minutes:seconds`; nil where it is none of these, or no minute.
    public static func minutes(_ text: String) -> Int? {
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count), let clock = halves.last else { return nil }
        var parts: [Int] = []
        for part in clock.split(separator: ":", omittingEmptySubsequences: false) {
            guard let number = Int(part), (0...10_000_000).contains(number) else { return nil }
            parts.append(number)
        }
        let minutes: Int
        if halves.count == 2 {
            guard let days = Int(halves[0]), (0...10_000).contains(days), parts.count <= 3 else { return nil }
            minutes = days * 1440 + parts[0] * 60 + (parts.count > 1 ? parts[1] : 0)
        } else {
            switch parts.count {
            case 1, 2: minutes = parts[0]
            case 3: minutes = parts[0] * 60 + parts[1]
            default: return nil
            }
        }
        return minutes > 0 ? minutes : nil
    }
}

extension String {
    /// As one word of a shell.
    var quotedForShell: String { "'" + replacing("'", with: #"'\''"#) + "'" }

    /// As one word of a line `#SBATCH`, which has quotes and backslashes as a shell has.
    fileprivate var quotedForSlurm: String {
        "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Percent signs in a file's name begin what sbatch replaces, such as %j.
    fileprivate var escapedForSlurm: String { replacing("%", with: "%%") }
}
