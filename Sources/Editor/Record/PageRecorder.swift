import Files
import Foundation
import HostCore
import Recording
import RecordingHost

/// The recorder of a page's recording. It records what the page's browser sends, or devices of
/// this machine through the recorder's process, which also joins the parts.
///
/// All its work is done on one thread, on which it also writes files.
final class PageRecorder: TakeRecorder, @unchecked Sendable {
    private let folder: String
    private let page: BrowserLine
    private let onEvent: @Sendable (TakeRecorderEvent) -> Void
    private let queue = DispatchQueue(label: "page-recorder")

    // On the queue.
    private var process: RecorderProcess?
    /// Counts the processes: what an ended one has reported is not taken for the next one's.
    private var processes = 0
    private var sources: Sources?
    private var hasEnded = false
    private var timer: (any DispatchSourceTimer)?
    /// Seconds in which the page was silent although it was asked.
    private var silence = 0.0

    /// What is open, or being opened.
    private enum Sources {
        case devices
        case browser(Browser)
    }

    private enum Browser {
        case opening, ready
        case recording(BrowserPart)
    }

    /// Seconds between questions whether the page is alive.
    private static let pace = 1.0

    init(folder: String, page: BrowserLine, onEvent: @escaping @Sendable (TakeRecorderEvent) -> Void) {
        (self.folder, self.page, self.onEvent) = (folder, page, onEvent)
        page.connect(self)
    }

    // MARK: Commands

    func send(_ command: RecorderCommand) { queue.async { self.take(command) } }

    func end() {
        queue.sync {
            hasEnded = true
            timer?.cancel()
            closeBrowser()
            endProcess()
        }
    }

    private func take(_ command: RecorderCommand) {
        switch command {
        case .open: open()
        case .start(let path, let limit, _):
            guard case .browser = sources else { return pass(command) }
            start(path, limit)
        case .stop:
            guard case .browser = sources else { return pass(command) }
            stop(.stopped)
        case .join, .effects: pass(command)
        case .photo:
            guard case .browser = sources else { return pass(command) }
            report(.photoFailed("Photos can be taken of this machine's devices only, not of a browser's."))
        case .close:
            closeBrowser()
            if process != nil { pass(command) }
        }
    }

    private func open() {
        closeBrowser()
        switch page.sources {
        case .devices(let request)?:
            sources = .devices
            pass(.open(request))
        case .browser?:
            guard page.isThere else { return report(.openFailed("The page is gone.")) }
            if case .devices = sources { endProcess() }
            sources = .browser(.opening)
            watch()
            page.tell(BrowserCommand(recorder: .open))
        case nil: report(.openFailed("No sources are chosen."))
        }
    }

    private func start(_ path: String, _ limit: Int64?) {
        guard case .browser(.ready) = sources else {
            return report(.partEnded(PartProgress(), .lost("The sources are closed.")))
        }
        do throws(Errno) {
            sources = .browser(.recording(try BrowserPart(path: path, limit: limit)))
            page.tell(BrowserCommand(recorder: .start))
        } catch {
            report(.partEnded(PartProgress(), .failed("‘\(path)’ cannot be written: \(error).")))
        }
    }

    private func stop(_ reason: PartEndReport) {
        guard case .browser(.recording(let part)) = sources else {
            return report(.partEnded(PartProgress(), .stopped))
        }
        guard part.end == nil else { return }
        part.end = reason
        page.tell(BrowserCommand(recorder: .stop))
    }

    private func closeBrowser() {
        guard case .browser(let browser) = sources else { return }
        dropBrowser()
        if case .recording(let part) = browser { complete(part, .stopped) }
    }

    /// Has the browser close its sources.
    private func dropBrowser() {
        sources = nil
        timer?.cancel()
        timer = nil
        page.tell(BrowserCommand(recorder: .close))
    }

    /// Ends the process, and with it its devices.
    private func endProcess() {
        process?.end()
        process = nil
    }

    /// Passes a command to the process, which is started if there is none.
    private func pass(_ command: RecorderCommand) {
        do throws(HostError) {
            if process == nil {
                processes += 1
                let number = processes
                process = try RecorderProcess(folder: folder) { [weak self] event in
                    guard let self else { return }
                    queue.async { self.take(event, ofProcess: number) }
                }
            }
            process?.send(command)
        } catch {
            ended(error.message)
        }
    }

    private func take(_ event: TakeRecorderEvent, ofProcess number: Int) {
        guard number == processes, process != nil else { return }
        switch event {
        case .report(let report): self.report(report)
        case .ended(let reason):
            process = nil
            ended(reason)
        }
    }

    private func ended(_ reason: String) {
        closeBrowser()
        guard !hasEnded else { return }
        hasEnded = true
        onEvent(.ended(reason))
    }

    private func report(_ report: RecorderReport) { if !hasEnded { onEvent(.report(report)) } }

    // MARK: The browser

    /// Takes what the browser reports, from any thread.
    func take(_ report: BrowserReport) {
        queue.async {
            self.silence = 0
            self.handle(report)
        }
    }

    /// Appends recorded bytes, from any thread.
    func take(_ bytes: Data) {
        queue.async {
            self.silence = 0
            self.append(bytes)
            self.page.wrote(bytes.count)
        }
    }

    /// Takes note that no more comes from the page, from any thread.
    func lose(_ reason: String) { queue.async { self.loseBrowser(reason) } }

    private func handle(_ answer: BrowserReport) {
        guard case .browser(let browser) = sources else { return }
        switch (answer, browser) {
        case (.opened(let container), .opening):
            sources = .browser(.ready)
            report(.container(container))
            report(.opened)
        case (.openFailed(let reason), .opening):
            dropBrowser()
            report(.openFailed(reason))
        case (.progress(let progress), .recording(let part)):
            part.note(progress)
            if part.end == nil { report(.progress(part.report)) }
            if part.isOver { stop(.limit) }
        case (.ended(let progress, let reason), .recording(let part)):
            part.note(progress)
            if let end = part.end, reason == nil {
                sources = .browser(.ready)
                complete(part, end)
            } else {
                dropBrowser()
                complete(part, .lost(reason ?? "The browser has ended the recording."))
            }
        case (.lost(let reason), .ready), (.lost(let reason), .recording): loseBrowser(reason)
        case (.alive, _), (.opened, _), (.openFailed, _), (.progress, _), (.ended, _), (.lost, .opening): break
        }
    }

    private func append(_ bytes: Data) {
        guard case .browser(.recording(let part)) = sources else {
            return page.refuse("Recorded data came although no part is being recorded; it is ignored.")
        }
        guard !bytes.isEmpty else { return }
        do throws(Errno) {
            let isFirst = part.size == 0
            try part.append(bytes)
            if isFirst { report(.started) }
        } catch {
            dropBrowser()
            complete(part, .failed("‘\(part.path)’ cannot be written: \(error)."))
        }
    }

    /// Ends a part of which everything has come that will.
    private func complete(_ part: BrowserPart, _ end: PartEndReport) {
        do throws(Errno) {
            try part.sync()
            report(.partEnded(part.report, end))
        } catch {
            report(.partEnded(part.report, .failed("‘\(part.path)’ cannot be written: \(error).")))
        }
    }

    private func loseBrowser(_ reason: String) {
        guard case .browser(let browser) = sources else { return }
        dropBrowser()
        switch browser {
        case .opening: report(.openFailed(reason))
        case .ready: report(.lost(reason))
        case .recording(let part): complete(part, .lost(reason))
        }
    }

    /// Asks the page each second whether it is alive. Time in which this process itself did not
    /// run does not count.
    private func watch() {
        silence = 0
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.pace, repeating: Self.pace)
        timer.setEventHandler { [weak self] in self?.ask() }
        timer.resume()
        self.timer = timer
    }

    private func ask() {
        silence += Self.pace
        page.tell(BrowserCommand(recorder: .alive))
        if silence > RecorderReport.silence {
            return loseBrowser("The page has not answered for \(Int(RecorderReport.silence)) s.")
        }
        guard case .browser(.recording(let part)) = sources else { return }
        // What came last goes to the disk even if nothing more comes.
        do throws(Errno) {
            try part.sync()
        } catch {
            return loseBrowser("‘\(part.path)’ cannot be written: \(error).")
        }
        guard part.end != nil else { return }
        part.ending += Self.pace
        if part.ending > RecorderReport.silence { loseBrowser("The browser does not end the recording.") }
    }
}

/// A command to the recorder in a browser.
struct BrowserCommand: Encodable {
    enum Name: String, Encodable {
        case open, start, stop, close
        /// Asks for an answer.
        case alive
    }

    var recorder: Name
}
