import Draft
import Values

/// When and how the parts of a text move. Nothing is drawn here.
struct TitleMotion {
    let enter: Entrance?
    let leave: Entrance?
    /// When the title ends, on its own clock.
    let end: Time?
    var counts = Counts(lines: 1, words: 1, letters: 1)

    init(_ title: Title) {
        enter = title.enter
        leave = title.end == nil ? nil : title.leave
        end = title.end
    }

    /// How many parts of each sort there are.
    struct Counts {
        var lines: Int
        var words: Int
        var letters: Int

        func callAsFunction(_ unit: Entrance.Unit) -> Int {
            switch unit {
            case .whole: 1
            case .line: max(1, lines)
            case .word: max(1, words)
            case .letter: max(1, letters)
            }
        }
    }

    /// The finest parts that anything moves at a time.
    func unit(at time: Time) -> Entrance.Unit {
        let units = [isEntering(at: time) ? enter : nil, isLeaving(at: time) ? leave : nil].compactMap { $0?.finest }
        return [.letter, .word, .line].first(where: units.contains) ?? .whole
    }

    /// A part's pose, and the sort of part that has it.
    /// - Parameter number: the part's number among those of a sort.
    func pose(at time: Time, _ number: (Entrance.Unit) -> Int) -> (pose: EntrancePose, unit: Entrance.Unit) {
        if let enter {
            let pose = enter.pose(of: number(enter.finest), of: counts(enter.finest), after: time)
            if pose != .rest { return (pose, enter.finest) }
        }
        guard let leave, let end else { return (.rest, .whole) }
        let count = counts(leave.finest)
        // What came first goes first, but for what is typed, and the last part is gone at the end.
        let index = leave.kind == .type ? number(leave.finest) : count - 1 - number(leave.finest)
        return (leave.pose(of: index, of: count, after: end - time, isLeaving: true), leave.finest)
    }

    /// How much of the background is there, where it does not move with all the rest.
    func panelOpacity(at time: Time) -> Double {
        func share(_ entrance: Entrance, _ time: Time) -> Double {
            guard entrance.kind != .type, entrance.finest != .whole else { return 1 }
            return min(1, max(0, time.seconds / entrance.duration.seconds))
        }
        return (enter.map { share($0, time) } ?? 1)
            * (leave.flatMap { leave in end.map { share(leave, $0 - time) } } ?? 1)
    }

    /// Whether anything moves or is not there yet.
    func isMoving(at time: Time) -> Bool { isEntering(at: time) || isLeaving(at: time) }

    private func isEntering(at time: Time) -> Bool {
        enter.map { time < $0.length(counts($0.finest)) } ?? false
    }

    private func isLeaving(at time: Time) -> Bool {
        guard let leave, let end else { return false }
        return end - time < leave.length(counts(leave.finest))
    }
}

extension Entrance {
    /// The parts that it moves.
    var finest: Unit { kind == .type ? .letter : unit }

    /// Until all parts rest.
    fileprivate func length(_ count: Int) -> Time {
        kind == .type ? duration : duration + Time(flicks: stagger.flicks * Int64(max(0, count - 1)))
    }

    /// - Parameter time: since the first part's beginning.
    fileprivate func pose(
        of index: Int, of count: Int, after time: Time, isLeaving: Bool = false
    ) -> EntrancePose {
        guard kind == .type else {
            return pose(at: time - Time(flicks: stagger.flicks * Int64(max(0, index))), isLeaving: isLeaving)
        }
        // Letters are there or not; the last one comes at the end.
        var pose = EntrancePose.rest
        let due = Int128(duration.flicks) * Int128(index + 1) / Int128(max(1, count))
        if Int128(time.flicks) < due { pose.opacity = 0 }
        return pose
    }
}
