import FoundationEssentials
import Glibc

/// What a run has measured, as it is printed.
struct Report: Encodable {
    var jobs: Int
    var failures: Int
    var seconds: Double
    /// Jobs whose parts are on the disk, by second.
    var rate: Double
    /// Seconds between a worker's end of a job and the next one's beginning there.
    var dispatch: Spread
    /// Seconds between the wish to have a part written down and its being on the disk.
    var commit: Spread
    /// Of the process with queue and journal, in MiB: the first twentieth, the last, the most.
    var memory: [Double]
    /// Microseconds of a processor for each job, of queue, journal and workers together; nil where
    /// others play the workers.
    var processor: Double?
    /// Seconds until all workers were there, of those that come by themselves.
    var arrival: Double?
    /// Of one core, by queue and sockets, while the workers had nothing to do.
    var idleLoad: Double?

    struct Spread: Encodable {
        var median = 0.0
        var p99 = 0.0
        var most = 0.0

        init(_ values: [Double]) {
            let sorted = values.sorted()
            guard let last = sorted.last else { return }
            func at(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
            (median, p99, most) = (at(0.5), at(0.99), last)
        }
    }

    init(_ account: Account.State, seconds: Double) {
        func mebibytes(_ bytes: Int?) -> Double { (Double(bytes ?? 0) / 1_048_576 * 10).rounded() / 10 }
        jobs = account.durable
        failures = account.failures
        self.seconds = seconds
        rate = Double(account.durable) / seconds
        dispatch = Spread(account.waits)
        commit = Spread(account.commits)
        memory = [account.resident.first, account.resident.last, account.resident.max()].map(mebibytes)
    }

    func tell() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

/// What processes have had of the processors.
enum Processor {
    static func seconds(of who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(who.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// This process, and the workers that have ended.
    static var all: Double { seconds(of: RUSAGE_SELF) + seconds(of: RUSAGE_CHILDREN) }
}
