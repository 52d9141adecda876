import Foundation
import Glibc

/// Metrics of this process from the operating system.
struct ProcessMetrics: Sendable, Encodable {
    /// In bytes.
    var residentMemory: Int
    var virtualMemory: Int
    var processorSeconds: Double
    var openFiles: Int
    var threads: Int
    /// In seconds since 1970.
    var startedAt: Double

    private static let startedAt = Date().timeIntervalSince1970

    /// Records the start time. Call this early.
    static func begin() { _ = startedAt }

    init() {
        let pages =
            (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
            .compactMap { Int($0) } ?? []
        let size = Int(getpagesize())
        virtualMemory = (pages.first ?? 0) * size
        residentMemory = (pages.count > 1 ? pages[1] : 0) * size
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        processorSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
        }
        (openFiles, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
        startedAt = Self.startedAt
    }
}
