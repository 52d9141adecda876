import FoundationEssentials

/// The kernel's count of processes that its out-of-memory killer has ended. If the count did not
/// grow while a process lived, a SIGKILL that ended the process came from elsewhere.
enum MemoryKills {
    /// The counts of the machine and of this process's control group; nil if the system reports
    /// neither.
    static var count: UInt64? {
        let counts = [number("oom_kill", in: "/proc/vmstat"), groupFile.flatMap { number("oom_kill", in: $0) }]
        let known = counts.compactMap(\.self)
        return known.isEmpty ? nil : known.reduce(0) { $0 &+ $1 }
    }

    /// The file of the group's events, for control groups of version 2.
    private static var groupFile: String? {
        guard let line = lines(of: "/proc/self/cgroup").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        return "/sys/fs/cgroup" + line.dropFirst(3) + "/memory.events"
    }

    private static func number(_ name: String, in file: String) -> UInt64? {
        lines(of: file).lazy.compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == name ? UInt64(words[1]) : nil
        }.first
    }

    private static func lines(of file: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}
