import Cleanup
import Foundation
import Glibc
import HostCore
import Recording
import RecordingHost
import Synchronization

/// The user of a recording: tells them what happens and takes their commands.
final class RecordSession: Sendable {
    enum Style {
        /// Messages on standard error.
        case plain
        /// Keys, and a status line.
        case keys
        /// ``RecordingProtocol``.
        case json
    }

    private let path: String
    private let folder: String
    private let style: Style
    private let recovers: Bool
    private let failures = Mutex<[String]>([])
    private let driver = Mutex<RecordingDriver?>(nil)
    /// No command can come any more.
    private let hasInputEnded = Mutex(false)

    /// - Parameters:
    ///   - path: of the draft, as the user has written it.
    ///   - folder: of the takes.
    ///   - recovers: nothing is recorded, and what an earlier run has left must become clips.
    init(path: String, folder: String, style: Style, recovers: Bool) {
        (self.path, self.folder, self.style, self.recovers) = (path, folder, style, recovers)
    }

    /// - Parameter first: the first command.
    func run(_ driver: RecordingDriver, _ first: Recording.Command) async throws {
        self.driver.withLock { $0 = driver }
        defer { self.driver.withLock { $0 = nil } }
        let interrupts = Interrupts { _ in driver.post(.close) }
        driver.post(first)
        var keys: RecordKeys?
        switch style {
        case .plain: break
        case .keys:
            keys = RecordKeys { driver.post($0) }
            Console.inform(RecordKeys.help)
        case .json: readCommands(driver)
        }
        let takes = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: driver.run()) }
        }
        keys?.end()
        Console.clearBar()
        withExtendedLifetime(interrupts) {}
        if style == .json { Console.say(RecordingProtocol.line(takes)) }
        let failures = failures.withLock { $0 }
        if !failures.isEmpty { throw HostError(.inputOutput, failures) }
        if recovers, let left = takes.takes.first(where: { $0.state == .unjoined }) {
            throw HostError(.inputOutput, "Take \(left.number) is still in parts.")
        }
        guard style != .json else { return }
        let seconds = String(format: "%.2f", takes.duration.seconds)
        Console.say("\(path): \(takes.kept.count == 1 ? "1 take" : "\(takes.kept.count) takes"), \(seconds) s")
    }

    /// Reads commands until the input ends, which does not end a take.
    private func readCommands(_ driver: RecordingDriver) {
        Thread.detachNewThread {
            while let line = readLine() {
                if line.allSatisfy(\.isWhitespace) { continue }
                do throws(RecordingProtocol.Refusal) {
                    driver.post(try RecordingProtocol.command(line))
                } catch {
                    Console.say(RecordingProtocol.line(error))
                }
            }
            self.hasInputEnded.withLock { $0 = true }
            driver.post { recording in
                switch recording.phase {
                case .opening(starts: true), .recording, .pausing, .paused, .closed: []
                case .joining(_, .open(starts: true)), .joining(_, .start), .ending(_, .start): []
                case .idle, .opening, .ready, .ending, .joining: [.close]
                }
            }
        }
    }

    private func close() { driver.withLock { $0 }?.post(.close) }

    // MARK: Events

    func notice(_ notice: Recording.Notice, _ recording: Recording) {
        if style == .json {
            Console.say(RecordingProtocol.line(notice, recording, folder: folder))
        } else {
            tell(notice)
        }
        // A program can go on after these, if it can still say so.
        let goesOn = style == .json && !recording.isClosing && !hasInputEnded.withLock { $0 }
        switch notice {
        case .limit: if !goesOn { close() }
        case .lost(let text), .failed(let text):
            if !goesOn {
                failures.withLock { if !$0.contains(text) { $0.append(text) } }
                close()
            }
        default: break
        }
        if style == .keys { show(recording, nil) }
    }

    private func tell(_ notice: Recording.Notice) {
        let ends = style == .plain ? " Ctrl-C finishes it." : ""
        switch notice {
        case .ready: Console.inform("the sources are ready")
        case .started(let take): Console.inform("take \(take) is being recorded.\(ends)")
        case .paused(let take): Console.inform("take \(take) is paused")
        case .resumed(let take): Console.inform("take \(take) continues")
        case .finished(let take): Console.inform("take \(take.number) is finished")
        case .recovered(let take): Console.inform("take \(take.number) of an earlier run is recovered")
        case .discarded(let takes): Console.inform("discarded: \(takes.map(String.init).joined(separator: ", "))")
        case .restored(let takes): Console.inform("restored: \(takes.map(String.init).joined(separator: ", "))")
        case .photo(let path): Console.inform("the photo is ‘\(path)’")
        case .background(let background?): Console.inform("the background is ‘\(background.path)’")
        case .background(nil): Console.inform("there is no background")
        case .limit(let limit): Console.inform("the limit is reached: \(limit.rawValue)")
        case .warning(let text), .refused(let text): Console.warn(text)
        // The error at the end.
        case .lost, .failed: break
        }
    }

    func progress(_ progress: PartProgress, _ recording: Recording) {
        switch style {
        case .plain: break
        case .keys: show(recording, progress)
        case .json: Console.say(RecordingProtocol.line(progress, recording))
        }
    }

    private func show(_ recording: Recording, _ progress: PartProgress?) {
        guard recording.phase != .closed else { return }
        let text = RecordStatus.text(recording, progress)
        // A line that wraps could not be erased.
        Console.showBar(String(text.prefix(max(1, Console.width - 1))))
    }
}
