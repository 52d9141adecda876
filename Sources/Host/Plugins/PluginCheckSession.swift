import Cleanup
import Draft
import Farm
import Foundation
import Glibc
import HostCore
import Jobs
import Messaging
import Synchronization
import Values

/// All tests of a library, each in its own process, several at a time.
///
/// The library is described first, which gives its effects. If the first test of an effect fails,
/// or its frames differ between instances, it is not tested further: it would fail, or hang, in
/// each test.
final class PluginCheckSession: Sendable {
    struct Options: Sendable {
        /// The absolute path of the library.
        var path: String
        var seed: UInt64 = 1
        /// The time limit of each test, in seconds.
        var limit: Double = 60
        /// Only this effect, by id.
        var effectID: String?
        /// Only these tests; empty: all.
        var tests: [PluginTest] = []
        /// Test effects as if they declared to be pure and deterministic.
        var takesForPure = false
        /// The number of tests that run at a time.
        var lanes: Int = max(1, ProcessInfo.processInfo.activeProcessorCount)
    }

    private let options: Options
    private let program: String
    private let folder: RuntimeDirectory
    private let count = Mutex(0)
    private let isCancelled = Mutex(false)
    /// A copy of the library with only its data files next to it; nil if there is none.
    private let lone = Mutex<String?>(nil)

    /// Prepares the tests.
    /// - Throws: if the file cannot be read, the worker program is missing, or nothing can be
    ///   written.
    init(_ options: Options) throws(HostError) {
        self.options = options
        program = JobQueue.Configuration.usualWorkerPath
        guard access(program, X_OK) == 0 else {
            throw HostError(
                .unavailable, "Cannot run the worker program ‘\(program)’: \(String(cString: strerror(errno))).")
        }
        do {
            folder = try RuntimeDirectory(parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-check-")
        } catch {
            throw HostError(.cannotCreate, error.description)
        }
    }

    /// Ends the running tests; ``run()`` then throws.
    func cancel() { isCancelled.withLock { $0 = true } }

    /// Runs the tests. Call this only once.
    /// - Throws: if tests cannot be run; findings are in the report.
    func run() async throws -> PluginCheckReport {
        defer { folder.remove() }
        let loading = launch(.load)
        let first = try await outcome(loading)
        let loaded = PluginTestResult(loading, first, limit: options.limit)
        let library = first.lines.compactMap { if case .library(let library) = $0 { library } else { nil } }.first
        var report = PluginCheckReport(path: options.path, name: library?.name, seed: options.seed)
        report.isolation = first.lines.lazy.compactMap { if case .isolation(let text) = $0 { text } else { nil } }.first
        if isWanted(.load) || loaded.outcome == .failed { report.results.append(loaded) }
        let effects = library?.effects ?? []
        lone.withLock { $0 = library.flatMap { copyAlone($0.files) } }
        if let id = options.effectID, library != nil, !effects.contains(where: { $0.id == id }) {
            throw HostError(
                .data, "‘\(options.path)’ has no usable effect ‘\(id)’\(suggestion(for: id, in: effects.map(\.id))).")
        }
        let rest = PluginTest.allCases.filter {
            $0.isOfLibrary && $0 != .load && isWanted($0) && options.effectID == nil
        }.map { launch($0) }
        guard library != nil else {
            report.results += rest.map { PluginTestResult($0, notRun: "the library cannot be loaded") }
            return report
        }
        report.results += try await results(rest).map { refusing(effects.map(\.id), in: $0) }
        for effect in effects where options.effectID == nil || options.effectID == effect.id {
            report.results += try await results(of: effect.id)
        }
        return report
    }

    /// Adds findings that only the host can make: ids that are reserved for Cutroom.
    private func refusing(_ ids: [String], in result: PluginTestResult) -> PluginTestResult {
        guard result.test == .descriptor, !PluginPaths.isShipped(realPath(options.path) ?? options.path) else {
            return result
        }
        return ids.reduce(into: result) { result, id in
            guard let refusal = EffectID.refusalOfOthers(id) else { return }
            result.add(
                .init(
                    what: "every render rejects the effect \(id): \(refusal)", at: nil, advice: "choose another id"))
        }
    }

    private func results(of id: String) async throws -> [PluginTestResult] {
        var wanted = PluginTest.allCases.filter { !$0.isOfLibrary && isWanted($0) }
        var list: [PluginTestResult] = []
        // A failure of these tests makes most others fail, too, with misleading advice.
        for test in [PluginTest.basic, .repeatable] where wanted.first == test {
            wanted.removeFirst()
            list += try await results([launch(test, id)])
            guard let result = list.last, result.outcome == .failed, test == .basic || result.death == nil else {
                continue
            }
            return list
                + wanted.map {
                    PluginTestResult(launch($0, id), notRun: "the effect fails the test ‘\(test.rawValue)’")
                }
        }
        return try await list + results(wanted.map { launch($0, id) })
    }

    private func isWanted(_ test: PluginTest) -> Bool { options.tests.isEmpty || options.tests.contains(test) }

    private func launch(_ test: PluginTest, _ effectID: String? = nil) -> PluginCheckLaunch {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return PluginCheckLaunch(
            path: options.path, test: test, effectID: effectID, seed: options.seed,
            isTakenForPure: options.takesForPure, report: "\(folder.path)/\(number)-\(test.rawValue)")
    }

    /// Returns results in the order of `launches`.
    private func results(_ launches: [PluginCheckLaunch]) async throws -> [PluginTestResult] {
        var results: [PluginTestResult?] = Array(repeating: nil, count: launches.count)
        try await withThrowingTaskGroup(of: (Int, PluginTestResult).self) { group in
            for index in launches.indices {
                if index >= options.lanes, let (done, result) = try await group.next() { results[done] = result }
                group.addTask { [self] in (index, try await result(launches[index])) }
            }
            for try await (done, result) in group { results[done] = result }
        }
        return results.compactMap(\.self)
    }

    private func result(_ launch: PluginCheckLaunch) async throws -> PluginTestResult {
        if launch.test == .files, PluginPaths.isShipped(realPath(options.path) ?? options.path) {
            return PluginTestResult(
                launch, skipped: "the library ships with Cutroom, and is never copied to other machines")
        }
        var outcome = try await outcome(launch)
        if launch.test == .processes {
            var again = launch
            again.report += "-again"
            try outcome.compare(with: await self.outcome(again, perturbation: 170))
        }
        if launch.test == .files {
            guard let path = lone.withLock({ $0 }) else {
                return PluginTestResult(launch, notRun: "cannot copy the library and its data files")
            }
            var again = launch
            again.path = path
            again.report += "-alone"
            try outcome.compareAlone(with: await self.outcome(again))
        }
        return PluginTestResult(launch, outcome, limit: options.limit)
    }

    /// Copies the library and its data files to an otherwise empty folder.
    private func copyAlone(_ files: [String]) -> String? {
        let library = realPath(options.path) ?? options.path
        let (from, to) = ((library as NSString).deletingLastPathComponent, folder.path + "/alone")
        do {
            for name in [(library as NSString).lastPathComponent] + files {
                let path = "\(to)/\(name)"
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: realPath("\(from)/\(name)") ?? "\(from)/\(name)", toPath: path)
            }
        } catch {
            return nil
        }
        return "\(to)/\((library as NSString).lastPathComponent)"
    }

    /// Runs one test.
    /// - Parameter perturbation: the byte whose complement fills fresh memory of the C library
    ///   (mallopt(3), M_PERTURB).
    private func outcome(_ launch: PluginCheckLaunch, perturbation: Int = 85) async throws -> PluginCheckProcess.Outcome
    {
        let process = PluginCheckProcess(
            program: program, launch: launch, environment: ["MALLOC_PERTURB_": "\(perturbation)"], limit: options.limit)
        let result: Result<PluginCheckProcess.Outcome, HostError> = await withCheckedContinuation { continuation in
            let isStarted = SystemThread.start(name: "check") { [self] in
                continuation.resume(
                    returning: Result { () throws(HostError) in try process.run { isCancelled.withLock { $0 } } })
            }
            if !isStarted {
                continuation.resume(
                    returning: .failure(HostError(.unavailable, "The system cannot start another thread.")))
            }
        }
        if isCancelled.withLock({ $0 }) { throw CancellationError() }
        return try result.get()
    }
}

extension PluginCheckProcess.Outcome {
    /// Adds a finding if a process without other files beside the library failed, or made different
    /// frames.
    fileprivate mutating func compareAlone(with other: Self) {
        guard ending == .code(0), !lines.contains(where: { if case .finding = $0 { true } else { false } }) else {
            return
        }
        let advice =
            "list in cutroom_plugin.files all files that the library reads from its folder: other files are missing on other machines, "
            + "and pictures are not rendered again when such a file changes"
        let found = other.lines.lazy.compactMap { if case .finding(let finding) = $0 { finding } else { nil } }.first
        let (mine, theirs) = (digests, other.digests)
        if let found {
            lines.append(
                .finding(
                    .init(
                        what: "without other files beside the library, it fails: \(found.what)", at: found.at,
                        advice: advice)))
        } else if other.ending != .code(0) {
            lines.append(
                .finding(
                    .init(what: "without other files beside the library, its process ends", at: nil, advice: advice)
                ))
        } else if let (first, _) = zip(mine, theirs).first(where: { $0 != $1 }) {
            lines.append(
                .finding(
                    .init(
                        what: "without other files beside the library, the frame differs",
                        at: first.split(separator: ":").first.map(String.init), advice: advice)))
        }
    }

    private var digests: [String] { lines.compactMap { if case .digest(let text) = $0 { text } else { nil } } }

    /// Adds a finding if another process made different frames.
    fileprivate mutating func compare(with other: Self) {
        guard ending == .code(0), other.ending == .code(0) else {
            if other.ending != .code(0) { self = other }
            return
        }
        guard let (mine, _) = zip(digests, other.digests).first(where: { $0 != $1 }) else { return }
        let place = mine.split(separator: ":").first.map(String.init)
        lines.append(
            .finding(
                .init(
                    what: "the same frame differs in a second process", at: place,
                    advice:
                        "initialize all memory before it is read (-fsanitize=memory, valgrind), take randomness from call->seed, and do not use "
                        + "addresses or times as values")))
    }
}
