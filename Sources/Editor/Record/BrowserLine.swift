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
        let (recorder, isTooMuch) = state.withLock { state in
            state.waiting += bytes.count
            return (state.recorder, state.waiting > Self.most)
        }
        guard let recorder else {
            wrote(bytes.count)
            return refuse("Recorded data came although no part is being recorded; it is ignored.")
        }
        if isTooMuch { return lose("The disk is too slow for what the browser records.") }
        recorder.take(bytes)
    }

    func wrote(_ count: Int) { state.withLock { $0.waiting -= count } }

    private func lose(_ reason: String) { state.withLock { $0.recorder }?.lose(reason) }

    /// Takes note that the page is gone.
    func leave() {
        state.withLock { $0.isThere = false }
        lose("The page was closed, or its connection was lost.")
    }
}
