import Farm
import FlyingFox
import Foundation
import HostCore
import Recording
import RecordingHost
import Values

/// The recordings of an editor's pages: one at a time, because they have one folder of takes.
final class PageRecordings: Sendable {
    /// The absolute path of the draft that takes are added to.
    let draft: String
    /// The editor shows a script.
    let isScript: Bool
    /// Pages on other machines may record devices of this one.
    let allowsDevices: Bool
    private let running = Locked<[ObjectIdentifier: PageRecording]>([:])
    private let ends = DispatchGroup()

    /// - Parameter script: the absolute path of what the editor shows.
    init(script: String, allowsDevices: Bool) {
        isScript = !script.lowercased().hasSuffix(".cutroom")
        let path = isScript ? (script as NSString).deletingPathExtension + ".cutroom" : script
        draft = realPath(path) ?? path
        self.allowsDevices = allowsDevices
    }

    /// Enters a recording that begins.
    /// - Returns: false if another page is recording.
    fileprivate func begin(_ recording: PageRecording) -> Bool {
        running.withLock { running in
            guard running.isEmpty else { return false }
            running[ObjectIdentifier(recording)] = recording
            ends.enter()
            return true
        }
    }

    /// Whether the page of the running recording is gone, so that it ends by itself.
    fileprivate var isEnding: Bool { running.withLock { $0.values.contains { !$0.isThere } } }

    fileprivate func end(_ recording: PageRecording) {
        running.withLock { $0[ObjectIdentifier(recording)] = nil }
        ends.leave()
    }

    /// Finishes the running take, and waits until it is complete.
    func close() async {
        for recording in running.withLock({ Array($0.values) }) { recording.leave() }
        let ends = ends
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = ends.wait(timeout: .now() + Self.patience)
                continuation.resume()
            }
        }
    }

    /// Seconds: longer than a recorder may be silent.
    private static let patience = 12.0
}

/// A page's recording, over a WebSocket of its own. It begins with the page's first command, and
/// ends when the page says so or leaves.
final class PageRecording: Sendable {
    private let all: PageRecordings
    private let mayUseDevices: Bool
    private let page: BrowserLine
    private let driver = Locked<RecordingDriver?>(nil)
    /// A thread for work that waits for the disk.
    private let lane = FileLane("page-recording")

    var isThere: Bool { page.isThere }

    init(_ all: PageRecordings, page: AsyncStream<WSMessage>.Continuation, isLocal: Bool) {
        self.all = all
        mayUseDevices = isLocal || all.allowsDevices
        self.page = BrowserLine(page)
    }

    private var folder: String { TakeFolder.path(draft: all.draft) }

    /// Tells the page where it is.
    func greet() {
        page.tell(RecordEvent.Hello(draft: all.draft, isScript: all.isScript, devices: mayUseDevices))
        lane.post { [self] in
            page.tell(RecordEvent.State(TakeFolder.takes(draft: all.draft), folder: folder))
        }
    }

    /// Takes a message of the page.
    func take(_ message: WSMessage) {
        switch message {
        case .data(let bytes): page.take(bytes)
        case .text(let text):
            do throws(RecordRefusal) {
                take(try RecordMessage(text))
            } catch {
                page.tell(RecordEvent.Refused(message: error.sentence))
            }
        case .close: break
        }
    }

    private func take(_ message: RecordMessage) {
        switch message {
        case .browser(let report): page.take(report)
        case .command(let command):
            if command.namesFile, !mayUseDevices {
                let name = "Files of the editor's machine can be named only by a page on that machine"
                return page.tell(
                    RecordEvent.Refused(message: "\(name); start ‘cutroom edit’ with ‘--allow-record’ to allow more."))
            }
            post { _ in [command] }
        case .open(let sources):
            if case .devices = sources, !mayUseDevices {
                let name = "The devices of the editor's machine can be recorded only from a page on that machine"
                return page.tell(
                    RecordEvent.Refused(message: "\(name); start ‘cutroom edit’ with ‘--allow-record’ to allow more."))
            }
            post { [page] recording in
                // A refused command changes nothing.
                switch recording.phase {
                case .idle, .ready, .joining: page.sources = sources
                default: break
                }
                return [.reopen]
            }
        }
    }

    /// The page is gone: the take is finished with what has come.
    func leave() {
        page.leave()
        lane.post { [self] in driver.withLock { $0 }?.post(.close) }
    }

    // MARK: The driver

    private func post(_ commands: @escaping @Sendable (Recording) -> [Recording.Command]) {
        lane.post { [self] in
            guard let driver = driver.withLock({ $0 }) ?? begin() else { return }
            driver.post(commands)
            // What has no event of its own.
            driver.post { [page, folder] recording in
                page.tell(RecordEvent.State(recording, folder: folder))
                return []
            }
        }
    }

    /// Begins the recording.
    /// - Returns: nil where it cannot begin, which the page is told.
    private func begin() -> RecordingDriver? {
        do throws(HostError) {
            try enter()
        } catch {
            page.tell(RecordEvent.Failed(message: error.message))
            return nil
        }
        do throws(HostError) {
            signal(SIGPIPE, SIG_IGN)
            let draft = RecordedDraft(path: all.draft)
            // A draft that cannot be read is an error before anything is recorded.
            _ = try draft.read()
            let (page, folder) = (page, try TakeFolder(draft: all.draft))
            let driver = try RecordingDriver(
                folder: folder, draft: draft, request: SourceRequest(video: nil, audio: []),
                limits: Recording.Limits(free: Self.leastFree), settings: TakeSettings(),
                launch: { PageRecorder(folder: $0, page: page, onEvent: $1) },
                onNotice: { notice, recording in
                    page.tell(RecordingProtocol.line(notice, recording, folder: folder.path))
                    page.tell(RecordEvent.State(recording, folder: folder.path))
                },
                onProgress: { page.tell(RecordingProtocol.line($0, $1)) })
            self.driver.withLock { $0 = driver }
            Thread.detachNewThread { [self] in
                let takes = driver.run()
                page.tell(RecordingProtocol.line(takes))
                page.tell(RecordEvent.State(takes, folder: folder.path))
                self.driver.withLock { $0 = nil }
                all.end(self)
            }
            return driver
        } catch {
            all.end(self)
            page.tell(RecordEvent.Failed(message: error.message))
            return nil
        }
    }

    private func enter() throws(HostError) {
        guard page.isThere else { throw HostError(.unavailable, "The page is gone.") }
        for _ in 0..<Self.tries {
            if all.begin(self) { return }
            // A page that was loaded again waits until its earlier recording is complete.
            guard all.isEnding else { break }
            usleep(Self.pause)
        }
        throw HostError(.unavailable, "Another page of this editor is recording; finish there first.")
    }

    private static let (tries, pause) = (500, 20_000 as useconds_t)
    /// Bytes that stay free on the disk, as for `cutroom record`.
    private static let leastFree: Int64 = 256_000_000
}

extension Recording.Command {
    /// Whether it writes or plays a file that the command names.
    fileprivate var namesFile: Bool {
        switch self {
        case .photo(let path): path != nil
        case .background(let background): background != nil
        default: false
        }
    }
}

/// The handler of a page's WebSocket.
struct RecordPage: WSMessageHandler {
    let recordings: PageRecordings
    /// The page is on this machine.
    let isLocal: Bool

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let (stream, page) = AsyncStream<WSMessage>.makeStream(bufferingPolicy: .bufferingOldest(4096))
        let recording = PageRecording(recordings, page: page, isLocal: isLocal)
        page.onTermination = { _ in recording.leave() }
        recording.greet()
        Task {
            for await message in client { recording.take(message) }
            recording.leave()
            page.finish()
        }
        return stream
    }
}
