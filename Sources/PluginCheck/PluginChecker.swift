import CPosix
import Foundation
import Glibc
import Jobs
import PluginHosting

/// Runs one test of a plugin in this process, which ends with it.
///
/// The library is opened after the process has noted its own state, so that what the loader runs
/// (constructors, start-up code of `-ffast-math`) is seen too. What is found goes into the report's
/// file as it is found; how the process ends, and what that means, is for the host to judge.
package struct PluginChecker {
    let launch: PluginCheckLaunch
    let report: CheckReport
    let state: ProcessState
    let host = CheckHost()

    /// - Parameter isolation: what the process has given up, for people.
    /// - Returns: the exit code: 0 where the test ran to its end, whatever it found.
    package static func run(_ launch: PluginCheckLaunch, isolation: String) -> Int32 {
        guard let report = CheckReport(path: launch.report) else { return 73 }
        report.write(.isolation(isolation))
        _ = cposix_die_with_parent()
        _ = cposix_explain_faults(report.descriptor)
        guard let output = StandardOutput(beside: launch.report) else { return 73 }
        let checker = PluginChecker(launch: launch, report: report, state: ProcessState())
        do {
            try checker.run(output)
        } catch is CheckStop {
        } catch is GuardedPlane.NoMemory {
            report.find(
                "there is not enough memory for the frames of this test", advice: "run the check on a larger machine")
        } catch {
            report.find("\(error)", advice: "report this as a fault of Cutroom's")
        }
        report.write(.finished)
        return 0
    }

    private func run(_ output: StandardOutput) throws {
        report.at("loading")
        let begin = Self.processorTime
        let library = try load()
        let loading = Self.processorTime - begin
        report.atNothing()
        switch launch.test {
        case .load: checkLoad(library, seconds: loading)
        case .symbols: try checkSymbols(library)
        case .entry: try checkEntry(library)
        case .descriptor: try checkDescriptors(library)
        default:
            guard let id = launch.effectID, let effect = library.effects.first(where: { $0.descriptor.id == id }) else {
                throw report.stop(
                    "the library has no effect ‘\(launch.effectID ?? "")’", advice: "check an effect that it has")
            }
            let subject = CheckSubject(
                library, launch.isTakenForPure ? effect.takenForPure : effect, report: report, seed: launch.seed,
                host: host)
            try subject.check(launch.test, state: state, output: output)
        }
    }

    private func load() throws -> PluginLibrary {
        let messages = PluginHost(log: { _, line in CheckReport.log(line) }, isCancelled: { false })
        let trail = PluginTrail { [host] _, change in host.note([change], by: "loading the library") }
        do {
            return try PluginLibrary(path: launch.path, host: messages, table: host.makeTable(.usual), trail: trail)
        } catch {
            let said = host.initialization.message.withLock { $0 }
            throw report.stop(
                said.map { "\(error.reason): \($0)" } ?? error.reason,
                advice: "make a library that loads by itself, with all that it needs linked")
        }
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension CheckSubject {
    /// Tests of an effect, each in the file of its group.
    func check(_ test: PluginTest, state: ProcessState, output: StandardOutput) throws {
        switch test {
        case .load, .symbols, .entry, .descriptor: break
        case .basic: try checkBasics()
        case .structs: try checkStructures()
        case .sizes: try checkSizes()
        case .bounds: try checkBounds()
        case .inputs: try checkInputs()
        case .layout: try checkLayouts()
        case .floats: try checkFloats()
        case .misuse: try checkMisuse()
        case .parameters: try checkParameters()
        case .parameterHistory: try checkParameterHistory()
        case .repeatable: try checkRepetition()
        case .processes: try checkProcesses()
        case .files:
            if library.entry.bridge != nil { throw report.skip("it is a plugin of another interface") }
            try checkProcesses()
        case .instances: try checkInstances()
        case .pure: try checkPurity()
        case .warmUp: try checkWarmUp()
        case .rowSlices: try checkRowSlices()
        case .inPlace: try checkInPlace()
        case .threads: try checkThreads()
        case .concurrency: try checkConcurrency()
        case .sharedInstance: try checkSharedInstance()
        case .timeline: try checkTimeline()
        case .reset: try checkReset()
        case .leaks: try checkLeaks()
        case .floatingPoint: try checkState(state, thread: .floatingPoint)
        case .processState: try checkState(state, thread: .signalMask, process: ProcessState.Aspect.allCases)
        case .strayThreads: try checkStrayThreads(state)
        case .standardOutput: try checkStandardOutput(output)
        }
    }
}
