import Foundation
import Renders

/// A record to write.
public enum JournalRecord: Hashable, Sendable {
    /// The current state of a render.
    case entry(RenderEntry)
    /// The request of a render, written once with the first entry.
    case request(RenderID, Data)
    /// An existing part, by its key.
    case part(RenderID, key: String, Data)
    /// A part that was found to be damaged.
    case noPart(RenderID, key: String)
    /// A remote worker makes a part. The part's own record ends this.
    case lease(RenderID, key: String, JournalLease)
    /// The worker no longer makes the part.
    case noLease(RenderID, key: String)
    /// The parts are no longer needed.
    case noParts(RenderID)
    /// A line of the render's log.
    case note(RenderID, RenderNote)
    /// The render is removed with all its records.
    case remove(RenderID)
    /// No epoch from this one on was used.
    case nextEpoch(UInt64)

    public init(_ change: RenderBook.Change) {
        switch change {
        case .put(let entry): self = .entry(entry)
        case .remove(let id): self = .remove(id)
        }
    }
}

/// The worker that makes a part, and its lease: its result is that part even if the server was
/// restarted meanwhile.
public struct JournalLease: Hashable, Sendable, Codable {
    public var job: String
    public var epoch: UInt64
    public var worker: String

    public init(job: String, epoch: UInt64, worker: String) {
        (self.job, self.epoch, self.worker) = (job, epoch, worker)
    }
}
