import Farm
import Foundation
import Glibc
import Journal
import Messaging
import Renders
import Synchronization

/// The renders of a benchmark: their jobs go through a queue, and what a server writes down of them
/// goes into a journal.
///
/// Written down are, as a server does it: each render with what was asked before its jobs are in
/// the queue; for workers from elsewhere who makes which part; each part that is there. A job
/// counts when its part is on the disk: the journal has synced it, and told so.
struct Load: Sendable {
    let renders: Int
    let jobsPerRender: Int
    /// The size of each job's description in bytes.
    let payload: Int

    var jobs: Int { renders * jobsPerRender }

    func specs(of render: Int) -> [JobSpec] {
        let payload = Data(count: payload)
        return (0..<jobsPerRender).map { index in
            JobSpec(
                id: JobID("r\(render).1-segment-\(index)"), kind: "segment", payload: payload,
                flow: JobSpec.Flow(submitter: "bench", name: "r\(render)"),
                sequence: JobSpec.Sequence(group: "picture", index: index))
        }
    }

    /// What a server writes down of a part: its path, size, count and hash.
    static func part(_ job: JobID) -> Data {
        let digest = String(repeating: "0123456789abcdef", count: 4)
        return Data(
            #"{"path":"/srv/cutroom/parts/1/\#(job.name)","file":{"size":123456,"count":60,"digest":"\#(digest)"}}"#
                .utf8)
    }

    func tickets() throws -> [JournalRecord] {
        var book = RenderBook(limit: renders)
        for number in 0..<renders {
            _ = try book.submit(
                RenderTicket(name: "bench \(number)", output: "/out/\(number)", submitter: "bench", digest: "d"), at: 0)
        }
        let request = Data(count: 4096)
        return book.takeChanges().map { JournalRecord($0) }
            + (1...renders).map { .request(RenderID(Int64($0)), request) }
    }
}

/// What has come of a load so far.
final class Account: Sendable {
    struct State {
        var waits: [Double] = []
        var durable = 0
        var commits: [Double] = []
        var failures = 0
        var resident: [Int] = []
    }

    private let state = Mutex(State())

    var value: State { state.withLock { $0 } }
    func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

    /// Bytes of this process's that lie in memory.
    static var resident: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    }
}

extension Load {
    /// Sends everything through a queue and waits until the last part is on the disk.
    /// - Returns: seconds.
    func run(on queue: JobQueue, _ journal: Journal, _ account: Account) async throws -> Double {
        try await journal.write(tickets())
        let start = SuspendingClock.now
        let (parts, told) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            for render in 1...renders {
                group.addTask { await drive(render, on: queue, journal, account, told) }
            }
            for await _ in parts {
                let state = account.value
                if state.durable + state.failures >= jobs { break }
            }
        }
        return (SuspendingClock.now - start) / .seconds(1)
    }

    private func drive(
        _ render: Int, on queue: JobQueue, _ journal: Journal, _ account: Account,
        _ told: AsyncStream<Void>.Continuation
    ) async {
        let client = queue.client()
        let id = RenderID(Int64(render))
        do { try client.submit(specs(of: render)) } catch {
            account.change { $0.failures += jobsPerRender }
            return
        }
        var open = jobsPerRender
        for await event in client.events {
            if event.isEnd { open -= 1 }
            switch event {
            case .started(let lease, let worker) where worker.isRemote:
                let record = JournalLease(job: lease.job.name, epoch: lease.epoch, worker: worker.name)
                journal.write([.lease(id, key: lease.job.name, record)]) { _ in }
            case .completed(let job, let result):
                if let waited = IdleResult.seconds(result) { account.change { $0.waits.append(waited) } }
                let begun = SuspendingClock.now
                journal.write([.part(id, key: job.name, Self.part(job))]) { outcome in
                    let seconds = (SuspendingClock.now - begun) / .seconds(1)
                    let isSample = account.note(outcome, seconds, every: max(1, jobs / 20))
                    if isSample { account.change { $0.resident.append(Account.resident) } }
                    told.yield()
                }
            case .failed, .cancelled:
                account.change { $0.failures += 1 }
                told.yield()
            default: break
            }
            if open == 0 { return }
        }
    }
}

extension Account {
    /// - Returns: whether this was one of every so many.
    fileprivate func note(_ outcome: Result<Void, JournalError>, _ seconds: Double, every count: Int) -> Bool {
        state.withLock { state in
            guard case .success = outcome else {
                state.failures += 1
                return false
            }
            state.durable += 1
            state.commits.append(seconds)
            return state.durable.isMultiple(of: count)
        }
    }
}
