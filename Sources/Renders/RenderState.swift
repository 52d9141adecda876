/// Where a render is on its way.
///
/// ```
///            after has ended well     there is room            ended well
///  waiting ────────────────────▶ queued ─────────▶ running ─────────────▶ done
///     │                            │  ▲              │  │
///     │ pause               pause  │  │ resume       │  └──── failed
///     └──────────▶ paused ◀────────┘──┘◀── pausing ◀─┤
///                                                    └──▶ cancelling ──▶ cancelled
/// ```
/// What waits, is queued or paused can be cancelled at once. `retry` brings what failed or was cancelled back into the queue.
public enum RenderState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Renders that it comes after have not ended.
    case waiting
    case queued
    case running
    /// It was told to pause, and still runs.
    case pausing
    case paused
    /// It was told to stop for good, and still runs.
    case cancelling
    case done
    case failed
    case cancelled

    /// Nothing happens to it by itself any more.
    public var hasEnded: Bool { self == .done || self == .failed || self == .cancelled }
    /// Something of it may be under way.
    public var isActive: Bool { self == .running || self == .pausing || self == .cancelling }
}

/// A render as lists show it and the journal keeps it.
public struct RenderEntry: Hashable, Sendable, Codable {
    public var id: RenderID
    public var ticket: RenderTicket
    public internal(set) var state: RenderState
    /// Why it is in this state, where people want to know: a sentence.
    public internal(set) var reason: String?
    /// Seconds since 1970.
    public var submittedAt: Double
    /// When it was begun first.
    public internal(set) var startedAt: Double?
    public internal(set) var endedAt: Double?
    /// How often it was begun.
    public internal(set) var runs = 0

    init(_ id: RenderID, _ ticket: RenderTicket, at now: Double) {
        (self.id, self.ticket, submittedAt, state) = (id, ticket, now, .queued)
    }
}
