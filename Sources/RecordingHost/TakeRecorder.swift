import HostCore
import Recording

/// What opens sources, records parts and joins them, for a ``RecordingDriver``: the recorder's
/// process, or a browser with that process beside it.
package protocol TakeRecorder: AnyObject, Sendable {
    /// Passes a command. Its reports come later.
    func send(_ command: RecorderCommand)
    /// Ends the recorder. No events follow.
    func end()
}

package enum TakeRecorderEvent: Sendable {
    case report(RecorderReport)
    /// The recorder has ended by itself, with its sources: a sentence.
    case ended(String)
}

/// Starts a recorder for a folder of takes. The closure that it gets takes the recorder's events,
/// on any thread, one after the other.
package typealias TakeRecorderLaunch =
    @Sendable (String, @escaping @Sendable (TakeRecorderEvent) -> Void) throws(HostError) -> any TakeRecorder
