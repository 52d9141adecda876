/// The states of a render.
///
/// ```
///       all of `after` are done     there is room              success
///  waiting ────────────────────▶ queued ─────────▶ running ─────────────▶ done
///     │                            │  ▲              │  │
///     │ pause               pause  │  │ resume       │  └──── failed
///     └──────────▶ paused ◀────────┘──┘◀── pausing ◀─┤
///                                                    └──▶ cancelling ──▶ cancelled
/// ```
/// Waiting, queued and paused renders are cancelled immediately. `retry` queues failed and
/// cancelled renders again.
public enum RenderState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Waits for other renders.
    case waiting
    case queued
    case running
    /// It was told to pause, and is still running.
    case pausing
    case paused
    /// It was told to stop permanently, and is still running.
    case cancelling
    case done
    case failed
    case cancelled

    /// The state changes only by a request.
    public var hasEnded: Bool { self == .done || self == .failed || self == .cancelled }
    /// Jobs of the render may be running.
    public var isActive: Bool { self == .running || self == .pausing || self == .cancelling }
}

/// A render as lists show it and the journal stores it.
public struct RenderEntry: Hashable, Sendable, Codable {
    public var id: RenderID
    public var ticket: RenderTicket
    public internal(set) var state: RenderState
    /// A sentence that explains the state, if needed.
    public internal(set) var reason: String?
    /// In seconds since 1970.
    public var submittedAt: Double
    /// When it was first started.
    public internal(set) var startedAt: Double?
    public internal(set) var endedAt: Double?
    /// How often it was started.
    public internal(set) var runs = 0

    init(_ id: RenderID, _ ticket: RenderTicket, at now: Double) {
        (self.id, self.ticket, submittedAt, state) = (id, ticket, now, .queued)
    }
}
