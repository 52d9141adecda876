import Values

/// A recording: takes that become clips of a draft. A pure state machine: the driver passes events
/// in, and carries out the actions that come back in their order.
///
/// Some actions have a result, which the driver passes at once: it carries out what comes back of
/// that before the rest of the list. Where an action on a file fails otherwise, it skips the rest
/// of the list and passes ``Event/failed(_:)``.
///
/// Invariants, which `RecordingSimulationTests` checks over random schedules with crashes:
/// - A part's file exists only if the journal names it.
/// - A finished take is never lost: it is a clip of the draft, or discarded by a command.
/// - The draft has exactly the kept takes, each once, in the order of their places: see
///   ``TakeList/place(of:)``.
/// - ``TakeList/duration`` is the sum of the kept takes' lengths.
public struct Recording: Sendable {
    public private(set) var takes: TakeList
    public private(set) var phase = Phase.idle
    /// The settings of the next take.
    public var settings = TakeSettings()
    /// What the next take gets that begins.
    public var next = StartOptions()
    public var limits: Limits
    /// That of the next part. It stays the same while the sources are open.
    public var container = TakeContainer.mp4
    /// Takes of earlier discards, the last command's at the end: what undo restores.
    private var discards: [[Int]] = []
    /// Takes that a crash left as parts.
    private var unjoined: [Int] = []
    private var recovered: Set<Int> = []
    /// The recorder has ended since the last part was joined.
    private var failures = 0

    /// The take that is recorded or paused; nil where there is none.
    public var current: Current? {
        switch phase {
        case .recording(let current), .pausing(let current), .paused(let current), .ending(let current, _): current
        case .idle, .opening, .ready, .joining, .closed: nil
        }
    }

    /// The length of all kept takes and of the one that is recorded, after their speeds.
    public var total: Time {
        guard let current else { return takes.duration }
        return others(than: current).duration + (takes[current.number]?.settings ?? settings).final(current.duration)
    }

    /// Whether the recording has ended, or ends as soon as the current take is complete.
    public var isClosing: Bool {
        switch phase {
        case .closed, .ending(_, .close), .joining(_, .close): true
        default: false
        }
    }

    public enum Phase: Hashable, Sendable {
        /// The sources are closed.
        case idle
        /// The sources are being opened; then a take starts, if it was asked for.
        case opening(starts: Bool)
        /// The sources are open, and pictures come from them.
        case ready
        case recording(Current)
        /// The part is being ended, after which the take is paused.
        case pausing(Current)
        case paused(Current)
        /// The part is being ended, after which the take's parts are joined.
        case ending(Current, Next)
        /// The parts of a take are being joined.
        case joining(Int, Next)
        case closed
    }

    /// What follows a take.
    public enum Next: Hashable, Sendable {
        /// The sources stay open.
        case ready
        /// The sources stay open, and a take starts.
        case start
        /// The sources are closed.
        case idle
        /// The sources are opened; then a take starts, if it was asked for.
        case open(starts: Bool)
        case close
    }

    /// The take that is recorded.
    public struct Current: Hashable, Sendable {
        public let number: Int
        /// See ``Take/replaces``.
        public let replaces: Int?
        /// The parts that have ended: their length and bytes.
        public var ended = Time.zero
        public var endedSize: Int64 = 0
        /// The running part, as far as the recorder has reported it.
        public var part = Time.zero
        public var partSize: Int64 = 0
        public var parts = 1

        public init(number: Int, replaces: Int? = nil) { (self.number, self.replaces) = (number, replaces) }

        public var duration: Time { ended + part }
        public var size: Int64 { endedSize + partSize }
    }

    public struct Limits: Hashable, Sendable {
        /// The length of all takes after their speeds; nil: no limit.
        public var duration: Time?
        /// Bytes of all takes.
        public var size: Int64?
        /// Bytes that stay free on the disk.
        public var free: Int64?

        public init(duration: Time? = nil, size: Int64? = nil, free: Int64? = nil) {
            (self.duration, self.size, self.free) = (duration, size, free)
        }
    }

    public enum Command: Hashable, Sendable {
        /// Opens the sources without recording.
        case open
        /// Opens other sources in place of the open ones.
        case reopen
        /// Starts a take, or resumes a paused one.
        case start
        /// Starts a take with options.
        case startTake(StartOptions)
        case pause
        case finish
        case discard(Selection)
        /// Restores the takes of the last discard.
        case undo
        /// Writes the picture that the source shows now: to a path, or else beside the takes.
        case photo(String?)
        /// Sets what is played while takes are recorded; nil: nothing.
        case background(Background?)
        /// Finishes the take and ends.
        case close
    }

    /// What a take gets when it begins.
    public struct StartOptions: Hashable, Sendable {
        /// The settings of this take and later ones; nil: they stay.
        public var speed: Rational?
        public var volume: Double?
        /// See ``Take/replaces``.
        public var replaces: Int?

        public init(speed: Rational? = nil, volume: Double? = nil, replaces: Int? = nil) {
            (self.speed, self.volume, self.replaces) = (speed, volume, replaces)
        }
    }

    /// Which takes a command is about.
    public enum Selection: Hashable, Sendable {
        case last, all
        case number(Int)
    }

    public enum Event: Hashable, Sendable {
        case command(Command)
        /// The sources deliver.
        case opened
        /// A source could not be opened: a sentence.
        case openFailed(String)
        /// The first frame of the part is written.
        case started
        /// The running part's length and bytes so far, and the bytes that are free on the disk.
        case progress(duration: Time, size: Int64, free: Int64?)
        case partEnded(duration: Time, size: Int64, PartEnd)
        /// - Parameter damaged: parts with something that the file lacks because it cannot be read.
        case joined(RecordedFile, damaged: [String])
        /// The readable parts hold no frame.
        case nothingRecorded(damaged: [String])
        case joinFailed(String)
        /// The take's clip is in the draft.
        case clipAdded(Int)
        /// The draft could not be changed, so that the take is no clip: a sentence.
        case addingFailed(Int, String)
        /// The take's file is not in the folder.
        case fileMissing(Int)
        /// The draft or the file could not be changed, so that the take is not discarded: a
        /// sentence.
        case discardFailed(Int, String)
        /// All of these discards were tried.
        case discardsTried([Int])
        /// The file of a discarded take is removed.
        case removed(Int)
        /// A picture is written to this path.
        case photoTaken(String)
        /// It cannot be: a sentence.
        case photoFailed(String)
        /// The draft has the background.
        case backgroundSet(Background?)
        /// The file cannot be played, or the draft not be changed: a sentence.
        case backgroundFailed(String)
        /// A source is lost while no part is recorded, and all are closed: a sentence.
        case sourcesLost(String)
        /// The recorder has ended by itself: a sentence.
        case recorderEnded(String)
        /// A file action failed: a sentence.
        case failed(String)
    }

    /// Why a part ended.
    public enum PartEnd: Hashable, Sendable {
        case stopped
        /// The length that it was given.
        case limit
        /// A source was lost: a sentence.
        case lost(String)
        /// The file cannot be written: a sentence.
        case failed(String)
    }

    public enum Action: Hashable, Sendable {
        case open
        /// Appends to the journal and waits until it is on the disk.
        case journal(JournalRecord)
        /// Records into a new file, up to a length, and plays the background from ``place`` on.
        case startPart(String, limit: Time?)
        case endPart
        /// Joins the readable of these files, and waits until the result is on the disk. Here and
        /// in the following, the file of a second picture goes with its take's file: see
        /// ``Take/second(of:)``.
        case join([String], into: String)
        /// Removes those of these files that exist.
        case removeParts([String])
        /// Gives parts second names, under which they stay.
        case keepParts([String])
        /// Puts the take's clip into the draft, behind those of earlier takes, unless it is there.
        /// Its result is ``Event/clipAdded(_:)``, ``Event/addingFailed(_:_:)`` or
        /// ``Event/fileMissing(_:)``.
        case addClip(Take)
        /// Removes the take's clip from the draft, and then moves its file to the folder of
        /// discarded takes. Either may have happened already. Its result is
        /// ``Event/discardFailed(_:_:)``, or none.
        case discard(Take, RecordedFile)
        /// Passes ``Event/discardsTried(_:)``.
        case reportDiscards([Int])
        /// Moves the file back from the folder of discarded takes, unless it is back.
        case restoreFile(String)
        /// Removes a file from the folder of discarded takes, if it is there, and passes
        /// ``Event/removed(_:)``.
        case removeFile(Int, String)
        /// Writes the picture that the source shows now: to a path, or else to a new file beside
        /// the takes. Its result is ``Event/photoTaken(_:)`` or ``Event/photoFailed(_:)``.
        case takePhoto(String?)
        /// Puts the background into the draft, in the place of an earlier one. Its result is
        /// ``Event/backgroundSet(_:)`` or ``Event/backgroundFailed(_:)``.
        case setBackground(Background?)
        case notify(Notice)
        /// Closes the sources and ends the recorder.
        case end
    }

    /// What users and programs are told.
    public enum Notice: Hashable, Sendable {
        case ready
        case started(take: Int)
        case paused(take: Int)
        case resumed(take: Int)
        /// The take is a file; its clip follows.
        case finished(Take)
        /// The take that a crash left behind is a clip now.
        case recovered(Take)
        case discarded([Int])
        case restored([Int])
        case limit(Limit)
        /// The path of a picture that was written.
        case photo(String)
        case background(Background?)
        case lost(String)
        case warning(String)
        /// The command cannot be carried out now: a sentence.
        case refused(String)
        case failed(String)
    }

    public enum Limit: String, Hashable, Sendable, Codable {
        case duration, size, free
    }

    /// - Parameter takes: what the journal says of earlier takes.
    public init(takes: TakeList = TakeList(), limits: Limits = Limits()) {
        (self.takes, self.limits) = (takes, limits)
    }

    /// Puts in order what an earlier run has left: call it once, before the first event.
    public mutating func begin() -> [Action] {
        var actions: [Action] = []
        for take in takes.takes {
            if take.state != .unjoined, !take.parts.isEmpty { actions.append(.removeParts(take.parts)) }
            switch take.state {
            case .unjoined:
                unjoined.append(take.number)
                recovered.insert(take.number)
            // It may have been restored from the discarded ones.
            case .joined(let file):
                actions += [.restoreFile(file.name)] + replacement(by: take.number) + add(take.number)
            case .discarded(let file):
                actions += [.discard(take, file), .removeFile(take.number, file.name)]
            case .finished, .removed: break
            }
        }
        return actions + joinNext(.idle)
    }

    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .command(let command): return handle(command)
        case .opened:
            guard case .opening(let starts) = phase else { return [] }
            phase = .ready
            return [.notify(.ready)] + (starts ? start() : [])
        case .openFailed(let reason):
            guard case .opening = phase else { return [] }
            phase = .idle
            return [.notify(.failed(reason))]
        case .started:
            guard case .recording(let current) = phase else { return [] }
            return [.notify(current.parts == 1 ? .started(take: current.number) : .resumed(take: current.number))]
        case .progress(let duration, let size, let free): return progress(duration, size, free)
        case .partEnded(let duration, let size, let end): return partEnded(duration, size, end)
        case .joined(let file, let damaged): return joined(file, damaged)
        case .nothingRecorded(let damaged):
            guard case .joining(let number, let next) = phase else { return [] }
            return kept(number, damaged) + record(.dropped(take: number)) + cleared(number)
                + [.notify(.warning("Take \(number) is dropped, because nothing was recorded."))] + joinNext(next)
        case .joinFailed(let reason):
            guard case .joining(let number, let next) = phase else { return [] }
            return giveUp(number, reason) + joinNext(next)
        case .clipAdded(let number): return record(.added(take: number))
        case .addingFailed(_, let reason): return [.notify(.warning(reason))]
        case .fileMissing(let number):
            return record(.dropped(take: number))
                + [.notify(.warning("Take \(number) is dropped, because its file is missing."))]
        case .discardFailed(let number, let reason): return keep(number, reason)
        case .discardsTried(let numbers):
            let carriedOut = numbers.filter { if case .discarded? = takes[$0]?.state { true } else { false } }
            return carriedOut.isEmpty ? [] : [.notify(.discarded(carriedOut))]
        case .removed(let number):
            guard case .discarded? = takes[number]?.state else { return [] }
            return record(.removed(take: number))
        case .photoTaken(let path): return [.notify(.photo(path))]
        case .photoFailed(let reason): return [.notify(.refused(reason))]
        case .backgroundSet(let background): return backgroundSet(background)
        case .backgroundFailed(let reason): return [.notify(.refused(reason))]
        case .sourcesLost(let reason): return sourcesLost(reason)
        case .recorderEnded(let reason): return recorderEnded(reason)
        case .failed(let reason): return failed(reason)
        }
    }

    // MARK: Commands

    private mutating func handle(_ command: Command) -> [Action] {
        switch (command, phase) {
        case (.close, .closed): return []
        case (_, .closed): return [.notify(.refused("The recording has ended."))]
        case (.startTake(let options), _): return start(options)
        case (.open, .idle):
            phase = .opening(starts: false)
            return [.open]
        case (.open, .joining(let number, .idle)):
            phase = .joining(number, .open(starts: false))
            return []
        case (.open, _): return []
        case (.reopen, .idle), (.reopen, .ready):
            phase = .opening(starts: false)
            return [.open]
        case (.reopen, .joining(let number, .idle)), (.reopen, .joining(let number, .ready)),
            (.reopen, .joining(let number, .open(starts: false))):
            phase = .joining(number, .open(starts: false))
            return []
        case (.reopen, .opening):
            return [.notify(.refused("The sources are being opened; wait until they are."))]
        case (.reopen, _):
            return [.notify(.refused("A take is being recorded; finish it before you change the sources."))]
        case (.start, .idle):
            phase = .opening(starts: true)
            return [.open]
        case (.start, .opening):
            phase = .opening(starts: true)
            return []
        case (.start, .joining(let number, .idle)), (.start, .joining(let number, .open)):
            phase = .joining(number, .open(starts: true))
            return []
        case (.start, .joining(let number, .ready)):
            phase = .joining(number, .start)
            return []
        case (.start, .ending(let current, .ready)):
            phase = .ending(current, .start)
            return []
        case (.start, .ready): return start()
        case (.start, .paused(let current)): return startPart(current)
        case (.start, _): return [.notify(.refused("A take is being recorded."))]
        case (.pause, .recording(let current)):
            phase = .pausing(current)
            return [.endPart]
        case (.pause, _): return [.notify(.refused("No take is being recorded that could be paused."))]
        case (.finish, .recording(let current)):
            phase = .ending(current, .ready)
            return [.endPart]
        case (.finish, .pausing(let current)):
            phase = .ending(current, .ready)
            return []
        case (.finish, .paused(let current)): return join(current.number, .ready)
        case (.finish, _): return [.notify(.refused("No take is being recorded."))]
        case (.discard(let selection), .idle), (.discard(let selection), .ready), (.discard(let selection), .opening):
            return discard(selection)
        case (.discard, _): return [.notify(.refused("A take is being recorded; finish it before you discard one."))]
        case (.undo, .idle), (.undo, .ready), (.undo, .opening): return undo()
        case (.undo, _): return [.notify(.refused("A take is being recorded; finish it first."))]
        case (.photo(let path), .ready), (.photo(let path), .recording), (.photo(let path), .pausing),
            (.photo(let path), .paused), (.photo(let path), .ending), (.photo(let path), .joining(_, .ready)):
            return [.takePhoto(path)]
        case (.photo, _): return [.notify(.refused("The sources are closed; open them before you take a photo."))]
        case (.background(let background), .idle), (.background(let background), .ready):
            guard takes.kept.isEmpty else {
                return [.notify(.refused("The background belongs to the takes; discard them before you change it."))]
            }
            return [.setBackground(background)]
        case (.background, .opening):
            return [.notify(.refused("The sources are being opened; set the background when they are ready."))]
        case (.background, _):
            return [.notify(.refused("A take is being recorded; the background cannot be changed now."))]
        case (.close, _): return close()
        }
    }

    private mutating func start(_ options: StartOptions) -> [Action] {
        if let number = options.replaces, takes[number]?.kept == nil {
            return [.notify(.refused(absence(of: number)))]
        }
        if case .paused = phase, options != StartOptions() {
            return [.notify(.refused("The paused take continues as it began; start it without options."))]
        }
        let before = next
        next = StartOptions(
            speed: options.speed ?? next.speed, volume: options.volume ?? next.volume,
            replaces: options.replaces ?? next.replaces)
        let actions = handle(.command(.start))
        // What was refused changes nothing.
        if case .notify(.refused)? = actions.last { next = before }
        return actions
    }

    private mutating func start() -> [Action] {
        let options = next
        next = StartOptions()
        guard takes.next <= JournalRecord.mostTakes else {
            return [.notify(.refused("A recording has at most \(JournalRecord.mostTakes) takes."))]
        }
        // It may have been discarded meanwhile.
        let earlier = options.replaces.flatMap { takes[$0]?.kept == nil ? nil : $0 }
        let current = Current(number: takes.next, replaces: earlier)
        if let reached = reached(current) { return [.notify(.limit(reached))] }
        if let speed = options.speed { settings.speed = speed }
        if let volume = options.volume { settings.volume = volume }
        return record(.begun(take: current.number, settings, replaces: earlier)) + startPart(current)
    }

    private mutating func startPart(_ current: Current) -> [Action] {
        var current = current
        current.parts = (takes[current.number]?.parts.count ?? 0) + 1
        (current.part, current.partSize) = (.zero, 0)
        let name = Take.partName(current.number, current.parts, container)
        phase = .recording(current)
        return record(.part(take: current.number, name: name))
            + [.startPart(name, limit: remaining(current))]
    }

    /// Where the next part of the current take comes: behind the takes whose clips come before it.
    public var place: PartPlace {
        guard let current else { return PartPlace() }
        let settings = takes[current.number]?.settings ?? settings
        let before = takes.kept(before: current.number).filter { $0.number != current.replaces }
        return PartPlace(
            time: TakeList.duration(of: before) + settings.final(current.ended), speed: settings.speed)
    }

    /// Sources that are open do not play the new background yet.
    private mutating func backgroundSet(_ background: Background?) -> [Action] {
        // What was discarded belongs to the earlier background.
        discards = []
        let notice = Action.notify(.background(background))
        guard phase == .ready else { return [notice] }
        phase = .opening(starts: false)
        return [notice, .open]
    }

    /// The recorded length that the duration limit leaves for the take's next part.
    private func remaining(_ current: Current) -> Time? {
        guard let limit = limits.duration, let take = takes[current.number] else { return nil }
        return max(Time(flicks: 1), take.settings.recorded(limit - others(than: current).duration) - current.ended)
    }

    private mutating func discard(_ selection: Selection) -> [Action] {
        let kept = takes.kept.map(\.number)
        let numbers: [Int]
        switch selection {
        case .all: numbers = kept
        case .last: numbers = Array(kept.suffix(1))
        case .number(let number):
            guard kept.contains(number) else { return [.notify(.refused(absence(of: number)))] }
            numbers = [number]
        }
        guard !numbers.isEmpty else { return [.notify(.refused("There are no takes to discard."))] }
        discards.append(numbers)
        var actions: [Action] = []
        for number in numbers {
            guard let take = takes[number], let file = take.kept else { continue }
            actions += record(.discarded(take: number)) + [.discard(take, file)]
        }
        return actions + [.reportDiscards(numbers)]
    }

    private func absence(of number: Int) -> String {
        let kept = takes.kept.map { String($0.number) }
        return "There is no take \(number); "
            + (kept.isEmpty ? "there are none." : "there are \(kept.joined(separator: ", ")).")
    }

    private mutating func undo() -> [Action] {
        guard let numbers = discards.popLast() else { return [.notify(.refused("No take was discarded."))] }
        var actions: [Action] = []
        for number in numbers {
            guard case .discarded(let file)? = takes[number]?.state else { continue }
            actions += record(.restored(take: number)) + [.restoreFile(file.name)] + add(number)
        }
        return actions + [.notify(.restored(numbers))]
    }

    private mutating func close() -> [Action] {
        switch phase {
        case .recording(let current):
            phase = .ending(current, .close)
            return [.endPart]
        case .pausing(let current):
            phase = .ending(current, .close)
            return []
        case .paused(let current): return join(current.number, .close)
        case .ending(let current, _):
            phase = .ending(current, .close)
            return []
        case .joining(let number, _):
            phase = .joining(number, .close)
            return []
        case .idle, .opening, .ready: return end()
        case .closed: return []
        }
    }

    private mutating func end() -> [Action] {
        phase = .closed
        var actions: [Action] = []
        for take in takes.takes {
            guard case .discarded(let file) = take.state else { continue }
            actions.append(.removeFile(take.number, file.name))
        }
        return actions + [.end]
    }

    // MARK: Parts

    private mutating func progress(_ duration: Time, _ size: Int64, _ free: Int64?) -> [Action] {
        switch phase {
        case .recording(var current):
            (current.part, current.partSize) = (duration, size)
            phase = .recording(current)
            guard let reached = reached(current, free: free) else { return [] }
            phase = .ending(current, .ready)
            return [.notify(.limit(reached)), .endPart]
        default: return []
        }
    }

    /// The length and the bytes of the takes that stay beside one.
    private func others(than current: Current) -> (duration: Time, size: Int64) {
        let kept = takes.kept.filter { $0.number != current.replaces }
        return (
            TakeList.duration(of: kept),
            kept.reduce(0) { $0 + ($1.kept?.size ?? 0) }
        )
    }

    /// The limit that a take has reached.
    private func reached(_ current: Current, free: Int64? = nil) -> Limit? {
        let factor = takes[current.number]?.settings ?? settings
        let others = others(than: current)
        if let limit = limits.duration, others.duration + factor.final(current.duration) >= limit { return .duration }
        if let limit = limits.size, others.size + current.size >= limit { return .size }
        // The parts are joined in a file of their size.
        if let least = limits.free, let free, free < least + current.size { return .free }
        return nil
    }

    private mutating func partEnded(_ duration: Time, _ size: Int64, _ end: PartEnd) -> [Action] {
        var (current, next, pauses): (Current, Next, Bool)
        let isEnding = if case .ending = phase { true } else { false }
        switch phase {
        case .recording(let running): (current, next, pauses) = (running, .ready, false)
        case .pausing(let running): (current, next, pauses) = (running, .ready, true)
        case .ending(let running, let after): (current, next, pauses) = (running, after, false)
        default: return []
        }
        current.ended = current.ended + duration
        current.endedSize += size
        (current.part, current.partSize) = (.zero, 0)
        var actions: [Action] = []
        switch end {
        case .stopped: break
        case .limit:
            // Where the take is already being ended, progress has told it.
            if !isEnding { actions.append(.notify(.limit(.duration))) }
            pauses = false
        case .lost(let reason):
            actions.append(.notify(.lost(reason)))
            (pauses, next) = (false, next == .close ? .close : .idle)
        case .failed(let reason):
            actions.append(.notify(.failed(reason)))
            (pauses, next) = (false, .close)
        }
        if pauses {
            phase = .paused(current)
            return actions + [.notify(.paused(take: current.number))]
        }
        return actions + join(current.number, next)
    }

    // MARK: Files

    private mutating func join(_ number: Int, _ next: Next) -> [Action] {
        guard let take = takes[number], take.state == .unjoined else { return joinNext(next) }
        phase = .joining(number, next)
        return [.join(take.parts, into: take.fileName)]
    }

    /// Joins the next take that a crash left as parts; else does what follows.
    private mutating func joinNext(_ next: Next) -> [Action] {
        failures = 0
        if !unjoined.isEmpty { return join(unjoined.removeFirst(), next) }
        switch next {
        case .ready:
            phase = .ready
            return []
        case .start:
            phase = .ready
            return start()
        case .idle:
            phase = .idle
            return []
        case .open(let starts):
            phase = .opening(starts: starts)
            return [.open]
        case .close: return end()
        }
    }

    private mutating func joined(_ file: RecordedFile, _ damaged: [String]) -> [Action] {
        guard case .joining(let number, let next) = phase else { return [] }
        var actions = kept(number, damaged) + record(.joined(take: number, file)) + cleared(number)
        if let take = takes[number] {
            actions.append(.notify(recovered.contains(number) ? .recovered(take) : .finished(take)))
        }
        return actions + replacement(by: number) + add(number) + joinNext(next)
    }

    /// Discards the take that a finished one replaces. This is in the journal before the clip is:
    /// a take that is only joined has not replaced anything yet.
    private mutating func replacement(by number: Int) -> [Action] {
        guard let take = takes[number], !take.hasReplaced, let earlier = take.replaces, let old = takes[earlier],
            let file = old.kept
        else { return [] }
        discards.append([earlier])
        return record(.discarded(take: earlier)) + [.discard(old, file), .reportDiscards([earlier])]
    }

    /// Keeps damaged parts. This comes before the journal says that the parts can be removed.
    private func kept(_ number: Int, _ damaged: [String]) -> [Action] {
        let parts = takes[number]?.parts ?? []
        let kept = (parts + parts.map(Take.second)).filter(damaged.contains)
        guard !kept.isEmpty else { return [] }
        return [
            .keepParts(kept),
            .notify(
                .warning(
                    "Take \(number) is not complete, because \(kept.joined(separator: ", ")) "
                        + "\(kept.count == 1 ? "is" : "are") damaged. What was recorded stays in the takes' folder, "
                        + "with the extension ‘.damaged’.")),
        ]
    }

    private func cleared(_ number: Int) -> [Action] { [.removeParts(takes[number]?.parts ?? [])] }

    private func add(_ number: Int) -> [Action] {
        guard let take = takes[number] else { return [] }
        return [.addClip(take)]
    }

    private mutating func record(_ record: JournalRecord) -> [Action] {
        takes.apply(record)
        return [.journal(record)]
    }

    // MARK: Failures

    private func giveUp(_ number: Int, _ reason: String) -> [Action] {
        let text = "Take \(number) cannot be joined: \(reason). Its parts are kept; try again with --recover."
        // What an earlier run has left does not keep this one from recording.
        return [.notify(recovered.contains(number) ? .warning(text) : .failed(text))]
    }

    /// Takes a discard back that could not be carried out.
    private mutating func keep(_ number: Int, _ reason: String) -> [Action] {
        guard case .discarded(let file)? = takes[number]?.state else { return [] }
        for index in discards.indices { discards[index].removeAll { $0 == number } }
        discards.removeAll(where: \.isEmpty)
        return record(.restored(take: number)) + [.restoreFile(file.name)] + add(number)
            + [.notify(.refused("Take \(number) is not discarded: \(reason)"))]
    }

    private mutating func sourcesLost(_ reason: String) -> [Action] {
        let notice = Action.notify(.lost(reason))
        switch phase {
        case .ready:
            phase = .idle
            return [notice]
        case .paused(let current): return [notice] + join(current.number, .idle)
        case .joining(let number, .ready), .joining(let number, .start):
            phase = .joining(number, .idle)
            return [notice]
        case .pausing(let current), .ending(let current, .ready), .ending(let current, .start):
            phase = .ending(current, .idle)
            return [notice]
        case .idle, .opening, .recording, .ending, .joining, .closed: return []
        }
    }

    private mutating func recorderEnded(_ reason: String) -> [Action] {
        switch phase {
        case .closed: return []
        case .idle: return [.notify(.warning(reason))]
        case .paused(let current): return [.notify(.lost(reason))] + join(current.number, .idle)
        case .opening, .ready:
            phase = .idle
            return [.notify(.failed(reason))]
        case .recording(let current), .pausing(let current):
            return [.notify(.lost(reason))] + join(current.number, .idle)
        case .ending(let current, let next):
            return [.notify(.lost(reason))] + join(current.number, next == .close ? .close : .idle)
        case .joining(let number, let next):
            failures += 1
            // Its sources are gone with it.
            let after = next == .start ? .open(starts: true) : next == .ready ? .idle : next
            phase = .joining(number, after)
            if failures < 2, let take = takes[number] { return [.join(take.parts, into: take.fileName)] }
            return giveUp(number, reason) + joinNext(after == .close ? .close : .idle)
        }
    }

    /// The files cannot be written: the part is ended, and nothing more is started.
    private mutating func failed(_ reason: String) -> [Action] {
        let notice = Action.notify(.failed(reason))
        switch phase {
        case .recording(let current), .pausing(let current):
            phase = .ending(current, .close)
            return [notice, .endPart]
        case .ending(let current, _):
            phase = .ending(current, .close)
            return [notice]
        // The list that would have ended the recorder is skipped.
        case .closed: return [notice, .end]
        case .idle, .opening, .ready, .paused, .joining:
            phase = .closed
            return [notice, .end]
        }
    }
}
