/// The preview of a draft that is being edited, as a value. Its methods receive the revision that
/// is shown, the results of cache lookups, the position of the playhead, the waits of clients and
/// the ends of jobs, and return the actions to take. It knows no files, no clock and no queue; its
/// driver does.
///
/// - Work that a client waits for comes first, in the order of the waits; then the frames after the
///   playhead in the direction of playback; then the rest.
/// - At most as many orders run as there are workers, except orders that a client waits for. For
///   each of these, the least important other order is cancelled. A seek is thus answered as fast
///   as on an idle machine, and loses at most the beginnings of some parts.
/// - Work that the revision no longer shows is cancelled, and its waits are answered.
/// - Failed work is retried with the next revision.
///
/// Events that do not fit (the end of an order that has ended, an answer to no request) are
/// ignored.
public struct Preview: Sendable {
    /// The state of a part or a sound.
    enum Standing: Hashable {
        case lookingUp
        case missing
        case running(Int)
        case ready
        case failed(String)
    }

    /// The number of orders that run at a time when no client waits.
    public let workers: Int
    /// The number of frames before and after the playhead within which parts are rendered ahead.
    public let reach: (behind: Int, ahead: Int)

    private(set) var playlist = Playlist.empty
    private(set) var playhead = Playhead()
    var standings: [Work: Standing] = [:]
    var orders: [Int: Order] = [:]
    /// Orders that were cancelled and have not ended.
    private var ending: Set<Int> = []
    /// In order of arrival.
    private(set) var waits: [(wait: Wait, work: Work, isUrgent: Bool)] = []
    /// The work that the playlist shows.
    private var shown: Set<Work> = []
    private var soundPieces: [String: String] = [:]
    private var lastNumber = 0

    public init(workers: Int, reach: (behind: Int, ahead: Int) = (.max / 4, .max / 4)) {
        (self.workers, self.reach) = (max(1, workers), reach)
    }

    // MARK: Events

    /// Shows another revision.
    public mutating func show(_ new: Playlist) -> [Action] {
        playlist = new
        shown = Set(new.parts.map { .part($0.key) })
        soundPieces = [:]
        if let sound = new.sound {
            shown.insert(.sound(sound.key))
            shown.formUnion(sound.runs.map { .run($0) })
            for piece in sound.pieces { soundPieces[piece] = sound.key }
        }
        let isGone = { [shown] (work: Work) in !work.isOnDemand && !shown.contains(work) }
        var actions: [Action] = waits.filter { isGone($0.work) }.map { .answer($0.wait, .gone) }
        waits.removeAll { isGone($0.work) }
        let dropped = standings.keys.filter(isGone)
        for work in dropped {
            if case .running(let number) = standings[work] {
                actions += cancel(number)
            } else {
                standings[work] = nil
            }
        }
        if !dropped.isEmpty { actions.append(.drop(dropped.sorted(by: Work.before))) }
        var unknown: [Work] = []
        for work in works(of: new) {
            switch standings[work] {
            case nil:
                standings[work] = .lookingUp
                unknown.append(work)
            case .failed: standings[work] = .missing
            case .lookingUp, .missing, .running, .ready: break
            }
        }
        if !unknown.isEmpty { actions.append(.lookUp(unknown)) }
        return actions + schedule()
    }

    public mutating func move(to new: Playhead) -> [Action] {
        playhead = new
        return schedule()
    }

    /// Adds a wait for work that the revision shows, or for an on-demand job.
    /// - Parameter isUrgent: do not wait for other work.
    public mutating func wait(_ wait: Wait, for work: Work, isUrgent: Bool = true) -> [Action] {
        // An order whose work is no longer shown may still be about to end.
        guard work.isOnDemand || shown.contains(work) else { return [.answer(wait, .gone)] }
        switch standings[work] {
        case .ready: return [.answer(wait, .ready)]
        case .failed(let message): return [.answer(wait, .failed(message))]
        case .lookingUp, .missing, .running: break
        case nil: standings[work] = .missing
        }
        waits.append((wait, work, isUrgent))
        return schedule()
    }

    /// Removes a wait, which is not answered.
    public mutating func leave(_ wait: Wait) -> [Action] {
        guard let index = waits.firstIndex(where: { $0.wait == wait }) else { return [] }
        let work = waits.remove(at: index).work
        return settle(work) + schedule()
    }

    /// Receives the result of a cache lookup.
    public mutating func found(_ work: Work, _ isThere: Bool) -> [Action] {
        guard standings[work] == .lookingUp else { return [] }
        return isThere ? ready(work) + schedule() : missing(work)
    }

    private mutating func missing(_ work: Work) -> [Action] {
        standings[work] = .missing
        return settle(work) + failSoundWithRun() + schedule()
    }

    /// The sound is missing, and a run of it has failed before.
    private mutating func failSoundWithRun() -> [Action] {
        for run in playlist.sound?.runs ?? [] {
            if case .failed(let message) = standings[.run(run)] { return failSound(message) }
        }
        return []
    }

    /// Reports that a file is damaged or missing.
    public mutating func lost(_ work: Work) -> [Action] {
        guard standings[work] == .ready else { return [] }
        return missing(work)
    }

    public mutating func finished(_ number: Int) -> [Action] {
        guard let order = end(number) else { return [] }
        return ready(order.work) + schedule()
    }

    /// Reports the failure of an order.
    /// - Parameter message: one sentence for users.
    public mutating func failed(_ number: Int, _ message: String) -> [Action] {
        guard let order = end(number) else { return [] }
        standings[order.work] = .failed(message)
        var actions = answer(order.work, .failed(message))
        switch order.work {
        case .part(let key), .sound(let key):
            if shown.contains(order.work) { actions.append(.tellFailed(key, message)) }
        case .run: if shown.contains(order.work) { actions += failSound(message) }
        case .onDemand: break
        }
        return actions + settle(order.work) + schedule()
    }

    /// A run of the sound cannot be mixed, so the sound cannot be made.
    private mutating func failSound(_ message: String) -> [Action] {
        guard let sound = playlist.sound, standings[.sound(sound.key)] == .missing else { return [] }
        standings[.sound(sound.key)] = .failed(message)
        return answer(.sound(sound.key), .failed(message)) + [.tellFailed(sound.key, message)]
    }

    public mutating func cancelled(_ number: Int) -> [Action] {
        guard let order = end(number) else { return [] }
        return missing(order.work)
    }

    private mutating func end(_ number: Int) -> Order? {
        ending.remove(number)
        return orders.removeValue(forKey: number)
    }

    private mutating func ready(_ work: Work) -> [Action] {
        standings[work] = .ready
        var actions = answer(work, .ready)
        if shown.contains(work) {
            switch work {
            case .part(let key): actions.append(.tellReady([key]))
            case .sound: actions.append(.tellReady(playlist.sound?.pieces ?? []))
            case .run, .onDemand: break
            }
        }
        return actions + settle(work)
    }

    private mutating func answer(_ work: Work, _ answer: Answer) -> [Action] {
        let mine = waits.filter { $0.work == work }
        waits.removeAll { $0.work == work }
        return mine.map { .answer($0.wait, answer) }
    }

    /// Forgets work that is neither shown nor waited for.
    private mutating func settle(_ work: Work) -> [Action] {
        guard let standing = standings[work], !shown.contains(work), !waits.contains(where: { $0.work == work }) else {
            return []
        }
        if case .running(let number) = standing { return cancel(number) }
        standings[work] = nil
        return [.drop([work])]
    }

    // MARK: Actions

    /// Submits the most important work, as far as workers are free or a client waits.
    mutating func schedule() -> [Action] {
        var actions: [Action] = []
        for work in waits.filter(\.isUrgent).flatMap({ steps(to: $0.work) }) where standings[work] == .missing {
            if orders.count - ending.count >= workers {
                let least = leastWanted()
                // A part takes the place of one alone that is wanted later; an on-demand job does
                // not wait.
                let isLater = least.map { distance(of: $0.work) > distance(of: work) } ?? false
                guard work.isOnDemand || isLater else { continue }
                if let least { actions += cancel(least.number) }
            }
            actions += submit(work, isUrgent: true)
        }
        var free = workers - orders.count
        guard free > 0 else { return actions }
        for work in idleWork() {
            actions += submit(work, isUrgent: false)
            free -= 1
            if free <= 0 { break }
        }
        return actions
    }

    /// Returns the steps that can be done now towards some work: the sound waits for its runs.
    private func steps(to work: Work) -> [Work] {
        guard case .sound = work, let sound = playlist.sound, standings[work] == .missing else { return [work] }
        let runs = sound.runs.map { Work.run($0) }.filter { standings[$0] != .ready }
        return runs.isEmpty ? [work] : runs
    }

    private mutating func submit(_ work: Work, isUrgent: Bool) -> [Action] {
        lastNumber += 1
        let order = Order(number: lastNumber, work: work, isUrgent: isUrgent)
        orders[lastNumber] = order
        standings[work] = .running(lastNumber)
        return [.submit(order)]
    }

    private mutating func cancel(_ number: Int) -> [Action] {
        guard orders[number] != nil, ending.insert(number).inserted else { return [] }
        return [.cancel(number)]
    }

    /// Returns the least important running order; nil if clients wait for all of them.
    private func leastWanted() -> Order? {
        let waited = Set(waits.filter(\.isUrgent).flatMap { [$0.work] + steps(to: $0.work) })
        return orders.values.filter { !ending.contains($0.number) && !waited.contains($0.work) }
            .max { (distance(of: $0.work), $0.number) < (distance(of: $1.work), $1.number) }
    }

    /// Returns the distance from the playhead, in frames, in the order of importance.
    private func distance(of work: Work) -> Int {
        switch work {
        case .part(let key):
            guard let part = playlist.parts.first(where: { $0.key == key }) else { return .max }
            let ahead =
                playhead.isBackwards ? playhead.frame - part.frames.lowerBound : part.frames.lowerBound - playhead.frame
            return ahead >= 0 ? ahead : playlist.frameCount - ahead
        // It is long, and begun anew it would take its whole time again.
        case .sound, .run: return -1
        case .onDemand: return .max - 1
        }
    }

    /// Returns missing work, the most important first, for at most as many orders as there are
    /// workers.
    private func idleWork() -> [Work] {
        var found: [Work] = []
        func take(_ work: Work) {
            if standings[work] == .missing, !found.contains(work) { found.append(work) }
        }
        let count = playlist.parts.count
        let first = playlist.part(at: playhead.frame)
        let step = playhead.isBackwards ? -1 : 1
        let window = (playhead.frame - reach.behind)..<(playhead.frame + max(1, reach.ahead))
        // What is waited for; what is seen next; then what is heard; then what is small and lies
        // around; then the rest, round about.
        for wish in waits where wish.isUrgent { steps(to: wish.work).forEach { take($0) } }
        for distance in 0..<min(2, count) { take(.part(playlist.parts[(first + step * distance + count) % count].key)) }
        if let sound = playlist.sound, standings[.sound(sound.key)] == .missing {
            steps(to: .sound(sound.key)).forEach { take($0) }
        }
        for wish in waits where !wish.isUrgent { steps(to: wish.work).forEach { take($0) } }
        for distance in 0..<count where found.count < workers {
            let part = playlist.parts[((first + step * distance) % count + count) % count]
            if part.frames.overlaps(window) || playhead.loop?.overlaps(part.frames) == true { take(.part(part.key)) }
        }
        return Array(found.prefix(workers))
    }

    private func works(of playlist: Playlist) -> [Work] {
        var seen: Set<Work> = []
        let parts = playlist.parts.map { Work.part($0.key) }.filter { seen.insert($0).inserted }
        // From the playhead on: the first answers are those that are wanted first.
        let first = min(playlist.part(at: playhead.frame), parts.count)
        let sound: [Work] = playlist.sound.map { sound in [.sound(sound.key)] + sound.runs.map { .run($0) } } ?? []
        return sound + parts[first...] + parts[..<first]
    }

    // MARK: Queries

    /// The keys of the revision's parts and pieces of sound that can be fetched.
    public var ready: [String] {
        var keys: [String] = []
        var seen: Set<String> = []
        for part in playlist.parts where standings[.part(part.key)] == .ready && seen.insert(part.key).inserted {
            keys.append(part.key)
        }
        if let sound = playlist.sound, standings[.sound(sound.key)] == .ready { keys += sound.pieces }
        return keys
    }

    /// The parts and the sound of the revision that cannot be rendered, and why.
    public var failures: [(key: String, message: String)] {
        var found: [(key: String, message: String)] = []
        var seen: Set<Work> = []
        for work in works(of: playlist) where seen.insert(work).inserted {
            if case .failed(let message) = standings[work], case .part(let key) = work { found.append((key, message)) }
            if case .failed(let message) = standings[work], case .sound(let key) = work { found.append((key, message)) }
        }
        return found
    }

    /// The number of the revision's frames that are rendered.
    public var renderedFrames: Int {
        playlist.parts.reduce(0) { $0 + (standings[.part($1.key)] == .ready ? $1.frames.count : 0) }
    }

    /// Returns the work that makes the file with this key; nil if the revision has no such key.
    public func work(for key: String) -> Work? {
        if let sound = soundPieces[key] { return .sound(sound) }
        return [.part(key), .run(key)].first(where: shown.contains)
    }
}

extension Preview.Work {
    var isOnDemand: Bool { if case .onDemand = self { true } else { false } }

    /// Orders work by name, so that the same events lead to the same actions.
    static func before(_ a: Self, _ b: Self) -> Bool { a.name < b.name }

    private var name: String {
        switch self {
        case .part(let key): "part \(key)"
        case .sound(let key): "sound \(key)"
        case .run(let key): "run \(key)"
        case .onDemand(let number): "on-demand job \(number)"
        }
    }
}
