import CPosix
import Composition
import Draft
import Glibc
import PluginABI

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

    /// Does something again and again, and reports what grows each time.
    private func expectSteady(_ what: String, advice: String, _ work: () throws -> Void) throws {
        report.at("\(Self.cycles) times")
        var heap = [Int](repeating: 0, count: Self.cycles + 1)
        for _ in 0..<Self.warmUps { try work() }
        let (files, pages, blocks) = (ProcessState.openFiles, ProcessState.mappedPages, host.blocks.withLock { $0 })
        heap[0] = cposix_heap_in_use()
        for cycle in 1...Self.cycles {
            try work()
            heap[cycle] = cposix_heap_in_use()
        }
        let growth = heap[Self.cycles] - heap[0]
        // The C library counts what it keeps at hand as allocated, and fetches it in lots: single cycles say nothing. Its least
        // piece has 32 bytes.
        let third = Self.cycles / 3
        let isSteady = (0..<3).contains { heap[($0 + 1) * third] - heap[$0 * third] < 16 * third }
        if !isSteady || growth > Self.cycles << 10 {
            report.find(
                "each time \(what) leaves about \(max(1, growth / Self.cycles)) bytes allocated", advice: advice)
        }
        if ProcessState.mappedPages - pages >= Self.cycles, growth <= Self.cycles << 10 {
            report.find("each time \(what) leaves memory mapped", advice: advice)
        }
        let blocksLeft = host.blocks.withLock { $0 } - blocks
        if blocksLeft >= Self.cycles {
            report.find("each time \(what) leaves memory of cutroom_host.alloc", advice: advice)
        }
        let filesLeft = ProcessState.openFiles - files
        if filesLeft >= Self.cycles {
            report.find("each time \(what) leaves a file open", advice: "close files when they are read")
        }
    }

    /// - Parameter before: as it was before the library was opened.
    func checkState(_ before: ProcessState, of aspects: [ProcessState.Aspect]) throws {
        var last = before
        func expectSame(after call: String) {
            let now = ProcessState()
            for aspect in aspects {
                guard let change = now.change(of: aspect, since: last, by: call) else { continue }
                let advice =
                    aspect == .floatingPoint
                    ? "put it back before returning; do not link with -ffast-math, which sets it for the whole process"
                    : "leave it as it is: other code in the process depends on it"
                report.find(change, advice: advice)
            }
            last = now
        }
        report.atNothing()
        expectSame(after: "loading the library")
        for setting in settings {
            for values in [defaults, .maxima(binding)] {
                guard let instance = try make(setting, values) else { continue }
                expectSame(after: "create")
                for number in 0..<3 {
                    _ = try instance.frame(CheckShot(number))
                    expectSame(after: "process")
                }
                if instance.reset() == CUTROOM_OK { expectSame(after: "reset") }
                instance.destroy()
                expectSame(after: "destroy")
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
