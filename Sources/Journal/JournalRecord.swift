import Foundation
import Renders

/// Something that is written down.
public enum JournalRecord: Hashable, Sendable {
    /// A render as it stands now.
    case entry(RenderEntry)
    /// What was asked; written once, with the first entry.
    case request(RenderID, Data)
    /// A part that is there, by its key.
    case part(RenderID, key: String, Data)
    /// A part turned out to be damaged.
    case noPart(RenderID, key: String)
    /// A worker from elsewhere makes a part. A part that is there ends that.
    case lease(RenderID, key: String, JournalLease)
    /// It does so no more.
    case noLease(RenderID, key: String)
    /// The parts are needed no more.
    case noParts(RenderID)
    /// A line of the render's log.
    case note(RenderID, RenderNote)
    /// The render with all that belongs to it is forgotten.
    case remove(RenderID)
    /// No epoch from here on was given out.
    case nextEpoch(UInt64)

    public init(_ change: RenderBook.Change) {
        switch change {
        case .put(let entry): self = .entry(entry)
        case .remove(let id): self = .remove(id)
        }
    }
}

/// Who makes a part, under which lease: what it makes is that part, though the server has been started anew meanwhile.
public struct JournalLease: Hashable, Sendable, Codable {
    public var job: String
    public var epoch: UInt64
    public var worker: String

    public init(job: String, epoch: UInt64, worker: String) {
        (self.job, self.epoch, self.worker) = (job, epoch, worker)
    }
}
