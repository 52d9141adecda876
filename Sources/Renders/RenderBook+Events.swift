/// Events.
extension RenderBook {
    /// Starts renders that wait for room: the server starts, or continues after a pause.
    public mutating func start(at now: Double) -> [Action] { admit(at: now) }

    /// Ends a run of a render, which must be active.
    public mutating func ended(_ id: RenderID, _ outcome: Outcome, at now: Double) -> [Action] {
        guard let entry = entries[id], entry.state.isActive else { return [] }
        change(id) { entry in
            switch (outcome, entry.state) {
            // It finished before it could be stopped.
            case (.done, _): entry.state = .done
            case (_, .cancelling): entry.state = .cancelled
            case (.failed(let reason), _): (entry.state, entry.reason) = (.failed, reason)
            case (.lacking(let reason), _): (entry.state, entry.reason) = (.paused, reason)
            case (.stopped, .pausing): entry.state = .paused
            case (.stopped, _): entry.state = .queued
            }
            entry.endedAt = entry.state.hasEnded ? now : nil
        }
        follow(id, at: now)
        // A server that ends has stopped it; the next server starts it again.
        return outcome == .stopped && entry.state == .running ? [] : admit(at: now)
    }

    /// Updates the renders that wait for a render that has ended, and those that wait for them.
    mutating func follow(_ id: RenderID, at now: Double) {
        var ended = [id]
        while let id = ended.popLast() {
            guard let state = entries[id]?.state, state.hasEnded else { continue }
            for follower in waiting(for: id) {
                guard let entry = entries[follower] else { continue }
                if state == .done {
                    if isFree(entry) { change(follower) { $0.state = .queued } }
                } else {
                    let end = state == .failed ? "failed" : "was cancelled"
                    change(follower) { entry in
                        (entry.state, entry.endedAt) = (.failed, now)
                        entry.reason = "Render \(id), which this render waits for, \(end)."
                    }
                    ended.append(follower)
                }
            }
        }
    }
}
