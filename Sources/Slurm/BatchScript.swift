/// The script that `sbatch` runs for a node: a shell that replaces itself by the node's program, so
/// that signals for the shell reach the node.
public struct BatchScript: Hashable, Sendable {
    /// The name of the job, of the node and of its key.
    public var name: String
    /// The path of the program `cutroom-worker`.
    public var worker: String
    /// The server's address.
    public var endpoint: String
    public var key: String
    public var serverKey: String
    /// The folder for results that the server has not acknowledged.
    public var spool: String
    public var log: String
    public var resources: NodeResources
    /// The time limit in minutes; nil for the partition's default.
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
        // Slurm sends SIGKILL soon after the warning, so running jobs are given back before that.
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

/// The resources of a node on the cluster, as `sbatch` takes them.
public struct NodeResources: Hashable, Sendable {
    public var partition: String?
    public var account: String?
    public var qos: String?
    public var constraint: String?
    public var memory: String?
    public var cpusPerTask: Int?
    /// The seconds before the end of the job at which the node is warned.
    public var warning = 30
    /// Further arguments for `sbatch`.
    public var more: [String] = []

    public init() {}

    var options: [String] {
        let named: [(String, String?)] = [
            ("partition", partition), ("account", account), ("qos", qos), ("constraint", constraint), ("mem", memory),
            ("cpus-per-task", cpusPerTask.map { "\($0)" }),
        ]
        return named.compactMap { name, value in value.map { "--\(name)=\($0)" } }
    }

    /// The seconds that a node may continue after the warning: jobs are given back well before
    /// Slurm kills the rest.
    var drainSeconds: Int { max(1, warning * 2 / 3) }

    /// Returns the lifetime of a node in minutes. Lifetimes differ, so that nodes that were
    /// submitted together do not end together.
    /// - Parameter minutes: the limit.
    public static func lifetime(of number: Int, within minutes: Int) -> Int {
        // Multiples of the golden ratio are spread evenly.
        let place = (Double(number) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        return max(1, minutes - Int(Double(minutes) * 0.25 * place))
    }

    /// Returns the minutes of a time in a format of `sbatch --time`: `minutes`, `minutes:seconds`,
    /// `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` or `days-hours:minutes:seconds`;
    /// nil for any other text, or for less than a minute.
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
    /// The text as one word of a shell command.
    var quotedForShell: String { "'" + replacing("'", with: #"'\''"#) + "'" }

    /// The text as one word of an `#SBATCH` line, which has the quotes and backslashes of a shell.
    fileprivate var quotedForSlurm: String {
        "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The text with doubled percent signs: in file names of sbatch they start a replacement such
    /// as %j.
    fileprivate var escapedForSlurm: String { replacing("%", with: "%%") }
}
