/// Requests of clients. Each either succeeds, or throws a ``Refusal`` and changes nothing.
extension RenderBook {
    /// Accepts a render.
    /// - Returns: its entry, and whether it is new: a key that the submitter has used for the same
    ///   request refers to the same render.
    public mutating func submit(
        _ ticket: RenderTicket, at now: Double
    ) throws(Refusal) -> (entry: RenderEntry, isNew: Bool, actions: [Action]) {
        if let known = try check(ticket) { return (known, false, []) }
        let entry = add(ticket, at: now)
        let actions = admit(at: now)
        return (entries[entry.id] ?? entry, true, actions)
    }

    /// Returns the render that a key already belongs to; nil: the ticket makes a new one.
    /// - Throws: if ``submit(_:at:)`` would.
    public func check(_ ticket: RenderTicket) throws(Refusal) -> RenderEntry? {
        if let key = ticket.key, let known = known(key, of: ticket.submitter) {
            guard known.ticket.digest == ticket.digest else {
                throw Refusal(
                    "Render \(known.id) has the same key ‘\(key)’, but was a different request; choose another key.")
            }
            return known
        }
        for id in ticket.after.sorted() {
            guard let other = entries[id] else { throw Refusal("There is no render \(id) to wait for.") }
            guard !other.state.hasEnded || other.state == .done else {
                let end = other.state == .failed ? "failed" : "was cancelled"
                throw Refusal("Render \(id), which it was to come after, \(end).")
            }
        }
        return nil
    }

    public mutating func cancel(_ id: RenderID, at now: Double) throws(Refusal) -> [Action] {
        switch try state(id) {
        case .waiting, .queued, .paused:
            change(id) { ($0.state, $0.endedAt, $0.reason) = (.cancelled, now, nil) }
            follow(id, at: now)
            return admit(at: now)
        case .running, .pausing:
            let wasRunning = entries[id]?.state == .running
            change(id) { $0.state = .cancelling }
            return wasRunning ? [.stop(id)] : []
        case .cancelling: return []
        case let state: throw Refusal("Render \(id) has already ended: it is \(state.rawValue).")
        }
    }

    public mutating func pause(_ id: RenderID, at now: Double) throws(Refusal) -> [Action] {
        switch try state(id) {
        case .waiting, .queued:
            change(id) { $0.state = .paused }
            return []
        case .running:
            change(id) { $0.state = .pausing }
            return [.stop(id)]
        case .pausing, .paused: return []
        case .cancelling: throw Refusal("Render \(id) is being cancelled.")
        case let state: throw Refusal("Render \(id) has already ended: it is \(state.rawValue).")
        }
    }

    public mutating func resume(_ id: RenderID, at now: Double) throws(Refusal) -> [Action] {
        switch try state(id) {
        case .paused:
            requeue(id)
            follow(whatEndedBefore: id, at: now)
            return admit(at: now)
        case .pausing: throw Refusal("Render \(id) is still running and pauses soon; resume it after that.")
        case .waiting, .queued, .running: return []
        case .cancelling: throw Refusal("Render \(id) is being cancelled.")
        case let state: throw Refusal("Render \(id) has ended: it is \(state.rawValue); retry it instead.")
        }
    }

    /// Queues a failed or cancelled render again. Its existing parts are reused.
    public mutating func retry(_ id: RenderID, at now: Double) throws(Refusal) -> [Action] {
        switch try state(id) {
        case .failed, .cancelled:
            requeue(id)
            follow(whatEndedBefore: id, at: now)
            return admit(at: now)
        case .done: throw Refusal("Render \(id) is done.")
        case .paused: throw Refusal("Render \(id) is paused; resume it instead.")
        default: throw Refusal("Render \(id) has not ended.")
        }
    }

    /// Changes the priority of a render. Active renders continue.
    public mutating func prioritise(_ id: RenderID, _ priority: Int) throws(Refusal) {
        let state = try state(id)
        guard !state.hasEnded else { throw Refusal("Render \(id) has already ended: it is \(state.rawValue).") }
        change(id) { $0.ticket.priority = priority }
    }

    /// Removes an ended render.
    public mutating func purge(_ id: RenderID) throws(Refusal) {
        let state = try state(id)
        guard state.hasEnded else {
            throw Refusal("Render \(id) has not ended: it is \(state.rawValue); cancel it first.")
        }
        if let follower = openFollowers(of: id).first {
            throw Refusal("Render \(follower) waits for render \(id); cancel it first.")
        }
        remove(id)
    }

    // MARK: Helpers

    private func state(_ id: RenderID) throws(Refusal) -> RenderState {
        guard let entry = entries[id] else { throw Refusal("There is no render \(id).") }
        return entry.state
    }

    private mutating func requeue(_ id: RenderID) {
        guard let entry = entries[id] else { return }
        let isFree = isFree(entry)
        change(id) { entry in
            (entry.state, entry.endedAt, entry.reason) = (isFree ? .queued : .waiting, nil, nil)
        }
    }

    /// Updates a render if one that it waits for has failed meanwhile.
    private mutating func follow(whatEndedBefore id: RenderID, at now: Double) {
        guard let entry = entries[id], entry.state == .waiting else { return }
        for other in entry.ticket.after.sorted() { follow(other, at: now) }
    }
}
