import CPosix
import Composition
import Draft
import Glibc
import PluginABI
import PluginHosting

/// Tests of what an effect leaves behind in the process.
extension CheckSubject {
    private static let cycles = 60
    private static let warmUps = 20

    func checkLeaks() throws {
        guard let setting = settings.first else { return }
        try expectSteady(
            "an instance, with a frame,", advice: "free in destroy everything that create and process took"
        ) {
            guard
                case .made(let instance) = CheckInstance.make(
                    self, setting, defaults, structures: .usual, host: hostTable)
            else { return }
            _ = try instance.process(Self.quiet(0))
        }
        guard state == .pure else { return }
        let instance = try need(setting)
        var number = 0
        try expectSteady("a frame", advice: "free at the end of process everything that it took") {
            number = (number + 1) % CheckSetting.length
            _ = try instance.process(Self.quiet(number))
        }
    }

    private static func quiet(_ number: Int) -> CheckShot {
        var shot = CheckShot(number)
        shot.isQuiet = true
        return shot
    }

    /// Does something again and again, and reports what grows each time: in every round, because
    /// the caches of a run-time grow in some.
    private func expectSteady(_ what: String, advice: String, _ work: () throws -> Void) throws {
        report.at("\(Self.cycles) times")
        for _ in 0..<Self.warmUps { try work() }
        var left: Leftovers?
        for _ in 0..<Self.rounds {
            left = try leftovers(of: work)
            if left?.isNothing == true { return }
        }
        guard let left else { return }
        if left.heap > 0 {
            report.find(
                "each time \(what) leaves about \(max(1, left.heap / Self.cycles)) bytes allocated", advice: advice)
        }
        if left.pages { report.find("each time \(what) leaves memory mapped", advice: advice) }
        if left.blocks { report.find("each time \(what) leaves memory of cutroom_host.alloc", advice: advice) }
        if left.files { report.find("each time \(what) leaves a file open", advice: "close files when they are read") }
    }

    /// What a round of cycles left behind.
    private struct Leftovers {
        /// Bytes; 0 where the heap was steady.
        var heap: Int
        var pages: Bool
        var blocks: Bool
        var files: Bool
        var isNothing: Bool { heap == 0 && !pages && !blocks && !files }
    }

    private static let rounds = 6

    private func leftovers(of work: () throws -> Void) throws -> Leftovers {
        var heap = [Int](repeating: 0, count: Self.cycles + 1)
        let (files, pages, blocks) = (ProcessState.openFiles, ProcessState.mappedPages, host.blocks)
        heap[0] = cposix_heap_in_use()
        for cycle in 1...Self.cycles {
            try work()
            heap[cycle] = cposix_heap_in_use()
        }
        let growth = heap[Self.cycles] - heap[0]
        // The C library counts its own caches as allocated, and fills them in lots: single cycles
        // say nothing. Its least piece has 32 bytes.
        let third = Self.cycles / 3
        let isSteady = (0..<3).contains { heap[($0 + 1) * third] - heap[$0 * third] < 16 * third }
        let isLarge = growth > Self.cycles << 10
        return Leftovers(
            heap: !isSteady || isLarge ? max(1, growth) : 0,
            pages: ProcessState.mappedPages - pages >= Self.cycles && !isLarge,
            blocks: host.blocks - blocks >= Self.cycles, files: ProcessState.openFiles - files >= Self.cycles)
    }

    /// Whether loading and calls leave an aspect of their threads alone, tasks on other threads
    /// too, and some aspects of the process.
    /// - Parameter before: as it was before the library was opened.
    func checkState(
        _ before: ProcessState, thread aspect: ThreadState.Aspect, process aspects: [ProcessState.Aspect] = []
    ) throws {
        var (last, told) = (before, Set<String>())
        func expectSame(after call: String) {
            for found in host.takeChanges() where found.change.aspect == aspect && told.insert(found.call).inserted {
                let advice =
                    aspect == .floatingPoint
                    ? "put it back before returning; do not link with -ffast-math, which sets it for the whole process"
                    : "put it back before returning: other code in the thread depends on it"
                report.find("\(found.call) changes the \(found.change.description)", advice: advice)
            }
            guard !aspects.isEmpty else { return }
            let now = ProcessState()
            for aspect in aspects {
                guard let change = now.change(of: aspect, since: last, by: call) else { continue }
                report.find(change, advice: "leave it as it is: other code in the process depends on it")
            }
            last = now
        }
        report.atNothing()
        expectSame(after: "loading the library")
        try makeEveryCall(then: expectSame)
        host.threads.withLock { $0 = Self.threads }
        defer { host.threads.withLock { $0 = 1 } }
        try makeEveryCall(threads: Self.threads, then: expectSame)
    }

    /// Makes each kind of call, with default and with extreme values.
    /// - Parameters:
    ///   - threads: how many the effect hears that it may keep busy.
    ///   - look: called after each call with its name.
    private func makeEveryCall(threads: Int = 1, then look: (String) -> Void) throws {
        for setting in settings {
            var setting = setting
            setting.maximumThreads = threads
            for values in [defaults, .maxima(binding)] {
                guard let instance = try make(setting, values) else { continue }
                look("create")
                for number in 0..<3 {
                    _ = try instance.frame(CheckShot(number))
                    look("process")
                }
                if instance.reset() == CUTROOM_OK { look("reset") }
                instance.destroy()
                look("destroy")
            }
        }
    }

    func checkStandardOutput(_ output: StandardOutput) throws {
        func expectSilence() -> Bool {
            let text = output.text
            if text.isEmpty { return true }
            let line = text.split(separator: "\n").first.map(String.init) ?? text
            report.find(
                "it writes to standard output: ‘\(line.prefix(80))’",
                advice: "use cutroom_host.log; standard output is the host's")
            return false
        }
        report.at("loading")
        guard expectSilence() else { return }
        for setting in settings {
            for values in [defaults, .maxima(binding)] {
                guard let instance = try make(setting, values) else { continue }
                for number in 0..<3 { _ = try instance.frame(CheckShot(number)) }
                guard expectSilence() else { return }
            }
        }
    }
}
