import FlyingFox
import Foundation
import Synchronization

/// A page's connection, as its recorder uses it.
final class BrowserLine: Sendable {
    private struct State {
        weak var recorder: PageRecorder?
        var sources: RecordSources?
        var isThere = true
        /// Bytes that are not written yet.
        var waiting = 0
        /// Sentences that were told for recorded data.
        var refusals = 0
    }

    private let state = Mutex(State())
    private let page: AsyncStream<WSMessage>.Continuation

    /// More bytes than this wait only if the disk is much slower than the browser.
    private static let most = 64 << 20
    /// Sentences for recorded data that nothing is done with, at most.
    private static let mostRefusals = 3

    init(_ page: AsyncStream<WSMessage>.Continuation) { self.page = page }

    func tell(_ message: some Encodable) { tell(JSON.text(message)) }

    func tell(_ text: String) { if case .dropped = page.yield(.text(text)) { page.finish() } }

    /// Tells that recorded data is ignored, some times.
    func refuse(_ sentence: String) {
        let isTold = state.withLock { state in
            state.refusals += 1
            return state.refusals <= Self.mostRefusals
        }
        if isTold { tell(RecordEvent.Refused(message: sentence)) }
    }

    func connect(_ recorder: PageRecorder) { state.withLock { $0.recorder = recorder } }

    var isThere: Bool { state.withLock { $0.isThere } }

    /// What `open` opens.
    var sources: RecordSources? {
        get { state.withLock { $0.sources } }
        set { state.withLock { $0.sources = newValue } }
    }

    // MARK: From the page

    func take(_ report: BrowserReport) { state.withLock { $0.recorder }?.take(report) }

    func take(_ bytes: Data) {
        let (recorder, hasRoom) = state.withLock { state in
            let hasRoom = state.waiting + bytes.count <= Self.most
            if hasRoom, state.recorder != nil { state.waiting += bytes.count }
            return (state.recorder, hasRoom)
        }
        guard let recorder else {
            return refuse("Recorded data came although no part is being recorded; it is ignored.")
        }
        if hasRoom { recorder.take(bytes) } else { recorder.lose("The disk is too slow for what the browser records.") }
    }

    /// Takes note that bytes are written, or ignored.
    func wrote(_ count: Int) { state.withLock { $0.waiting -= count } }

    /// Takes note that the page is gone.
    func leave() {
        state.withLock { $0.isThere = false }
        state.withLock { $0.recorder }?.lose("The page was closed, or its connection was lost.")
    }
}
