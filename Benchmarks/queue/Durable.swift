import ArgumentParser
import Farm
import FoundationEssentials
import Journal

/// The queue's own worker processes, and a journal on a disk.
struct Durable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Jobs that do nothing, by worker processes of this machine.")

    @Option(help: "Worker processes.") var workers = 8
    @Option(help: "Renders that are there at once.") var renders = 4
    @Option(help: "Jobs of each render.") var jobs = 10_000
    @Option(help: "The size of a job's description in bytes.") var payload = 512
    @Option(help: "A folder on the disk that is to be written to.") var state: String

    func run() async throws {
        let journal = try Journal(folder: state)
        var configuration = JobQueue.Configuration(
            workers: workers, workerPath: QueueBench.path, engine: QueueBench.engine)
        configuration.firstEpoch = try journal.reserveEpochs()
        let queue = try JobQueue(configuration: configuration)
        // So that no worker starts any more.
        let warm = Load(renders: 1, jobsPerRender: 4000, payload: payload)
        _ = try await warm.run(on: queue, journal, Account())
        let account = Account()
        let load = Load(renders: renders, jobsPerRender: jobs, payload: payload)
        let seconds = try await load.run(on: queue, journal, account)
        await queue.shutdown(graceful: true)
        var report = Report(account.value, seconds: seconds)
        report.processor = Processor.all / Double(warm.jobs + load.jobs) * 1e6
        try report.tell()
    }
}
