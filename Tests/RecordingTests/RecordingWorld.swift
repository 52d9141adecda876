import Recording
import TestSupport
import Values

/// A disk, a draft and a recorder that fail at random, around a ``Recording``.
struct RecordingWorld {
    private(set) var recording: Recording
    private var random: SplitMix64
    private let name: String

    // What survives a crash.
    private(set) var journal: [JournalRecord] = []
    /// What the journal says.
    private var durable = TakeList()
    /// The files that the journal knows.
    private var named: Set<String> = []
    /// The take of each part.
    private var parts: [String: Int] = [:]
    /// The recorded length of each file, zero of one without a frame.
    private(set) var folder: [String: Time] = [:]
    private(set) var discarded: [String: Time] = [:]
    /// The takes whose clips the draft has, in its order.
    private(set) var draft: [Int] = []
    /// The recorded length of each take, which must be found again.
    private(set) var recorded: [Int: Time] = [:]
    /// Takes whose discarding was asked for and carried out.
    private(set) var thrownAway: Set<Int> = []
    /// Parts with something that cannot be read, and those of them that have a second name.
    private var damaged: Set<String> = []
    private var kept: Set<String> = []

    // What does not.
    private var part: String?
    private var endsPart = false
    private var joins: (parts: [String], file: String)?
    private var opens = false
    /// The sources deliver.
    private var isOpen = false
    private var problems: [String] = []
    /// A file action has failed in this step.
    private var hasFailed = false

    /// Nothing fails any more.
    var isReliable = false
    /// Actions until the next crash.
    private var crashesIn: Int?
    private(set) var crashes = 0

    init(_ name: String, _ random: SplitMix64) {
        (self.name, self.random) = (name, random)
        recording = Recording()
        recording = reopened()
    }

    private func reopened() -> Recording {
        // A record was cut off if the process was: only whole lines are read again.
        Recording(takes: TakeList(journal.compactMap { JournalRecord(line: $0.line) }))
    }

    // MARK: Running

    mutating func step() {
        let event = nextEvent()
        if !isReliable, random.chance(1, in: 40) { crashesIn = Int.random(in: 0...6, using: &random) }
        hasFailed = false
        if let event { pass(event) }
        if crashesIn != nil, !isReliable, random.chance(1, in: 3) { crash() }
    }

    /// Starts the recorder again, as after `kill -9`.
    mutating func crash() {
        crashes += 1
        hasFailed = false
        (part, endsPart, joins, opens, isOpen, crashesIn) = (nil, false, nil, false, false, nil)
        recording = reopened()
        recording.limits = Recording.Limits(duration: random.chance(1, in: 2) ? Time(flicks: 5000) : nil)
        recording.settings = TakeSettings(speed: random.pick([.one, Rational(2), Rational(1, 2), Rational(3, 4)]))
        carryOut(recording.begin())
    }

    private mutating func nextEvent() -> Recording.Event? {
        if isReliable || random.chance(2, in: 3) {
            if let event = recorderEvent() { return event }
            if isReliable { return nil }
        }
        let commands: [Recording.Command] = [
            .start, .start, .start, .open, .reopen, .pause, .finish, .finish, .discard(.last), .discard(.all),
            .discard(.number(Int.random(in: 1...6, using: &random))), .undo, .close,
            .photo(nil), .background(random.chance(1, in: 2) ? Background(path: "/music.mp3") : nil),
            .startTake(
                Recording.StartOptions(
                    speed: random.pick([nil, .one, Rational(2)]),
                    replaces: random.chance(1, in: 2) ? Int.random(in: 1...6, using: &random) : nil)),
        ]
        let command = random.pick(commands)
        if command == .close, random.chance(4, in: 5) { return nil }
        return .command(command)
    }

    private mutating func recorderEvent() -> Recording.Event? {
        if !isReliable, random.chance(1, in: 30), part != nil || joins != nil || opens {
            (part, endsPart, joins, opens, isOpen) = (nil, false, nil, false, false)
            return .recorderEnded("The recorder has crashed.")
        }
        if !isReliable, isOpen, part == nil, random.chance(1, in: 20) {
            isOpen = false
            return .sourcesLost("The camera is gone.")
        }
        if opens {
            opens = false
            isOpen = isReliable || random.chance(5, in: 6)
            return isOpen ? .opened : .openFailed("There is no camera.")
        }
        if let part { return partEvent(part) }
        if let joins { return joinEvent(joins.parts, joins.file) }
        return nil
    }

    private mutating func partEvent(_ name: String) -> Recording.Event {
        let sum = folder[name] ?? .zero
        if endsPart || random.chance(1, in: 12) {
            let ends: [Recording.PartEnd] =
                endsPart
                ? [.stopped] : [.limit, .lost("The camera is gone."), .failed("The disk is full.")]
            (part, endsPart) = (nil, false)
            let end = random.pick(ends)
            if case .lost = end { isOpen = false }
            return .partEnded(duration: sum, size: sum.flicks, end)
        }
        let more = Time(flicks: .random(in: 1...500, using: &random))
        if sum == .zero {
            record(more, name)
            return .started
        }
        record(more, name)
        return .progress(duration: sum + more, size: sum.flicks, free: nil)
    }

    private mutating func record(_ more: Time, _ name: String) {
        folder[name] = (folder[name] ?? .zero) + more
        guard let take = parts[name] else {
            problems.append("\(name) is recorded and not in the journal")
            return
        }
        recorded[take] = (recorded[take] ?? .zero) + more
    }

    private mutating func joinEvent(_ parts: [String], _ file: String) -> Recording.Event {
        joins = nil
        if !isReliable, random.chance(1, in: 12) { return .joinFailed("no memory") }
        let sum = parts.reduce(Time.zero) { $0 + (folder[$1] ?? .zero) }
        if !isReliable, random.chance(1, in: 8), let name = parts.randomElement(using: &random) { damaged.insert(name) }
        let found = parts.filter { damaged.contains($0) && folder[$0] != nil }
        guard sum > .zero else { return .nothingRecorded(damaged: found) }
        folder[file] = sum
        return .joined(RecordedFile(name: file, duration: sum, size: sum.flicks), damaged: found)
    }

    private mutating func pass(_ event: Recording.Event) { carryOut(recording.handle(event)) }

    // MARK: Actions

    private mutating func carryOut(_ actions: [Recording.Action]) {
        for action in actions {
            if let left = crashesIn {
                if left <= 0 { return crash() }
                crashesIn = left - 1
            }
            let before = crashes
            guard carryOut(action) else {
                hasFailed = true
                return
            }
            // What is left of all lists is skipped.
            if hasFailed { return }
            check()
            // The rest of the list went with the process.
            if crashes != before { return }
        }
    }

    private mutating func fails(in one: Int) -> Bool { !isReliable && random.chance(1, in: one) }

    /// - Returns: false where the rest of the list is skipped.
    private mutating func carryOut(_ action: Recording.Action) -> Bool {
        switch action {
        case .open: (opens, isOpen) = (true, false)
        case .journal(let record):
            let hasFailed = fails(in: 60)
            // A record may be on the disk although writing it has failed.
            if !hasFailed || random.chance(1, in: 2) { write(record) }
            if hasFailed {
                pass(.failed("The disk is full."))
                return false
            }
        case .takePhoto(let path):
            if fails(in: 4) {
                pass(.photoFailed("The disk is full."))
            } else {
                pass(.photoTaken(path ?? "photo-1.png"))
            }
        case .setBackground(let new):
            if !recording.takes.kept.isEmpty { problems.append("the background of takes changes") }
            if fails(in: 10) {
                pass(.backgroundFailed("The draft cannot be written."))
            } else {
                pass(.backgroundSet(new))
            }
        case .startPart(let name, let limit):
            if recording.place != place(of: name) { problems.append("\(name) is at \(recording.place)") }
            if !isOpen { problems.append("\(name) is recorded without sources") }
            if folder[name] != nil { problems.append("\(name) is overwritten") }
            if let limit, limit <= .zero { problems.append("\(name) has the limit \(limit)") }
            folder[name] = .zero
            (part, endsPart) = (name, false)
        case .endPart:
            if part == nil { pass(.partEnded(duration: .zero, size: 0, .stopped)) } else { endsPart = true }
        case .join(let parts, let file): joins = (parts, file)
        case .keepParts(let names):
            if fails(in: 10) {
                pass(.failed("The folder cannot be written."))
                return false
            }
            for name in names where folder[name] != nil { kept.insert(name) }
        case .removeParts(let names):
            for name in names where folder.removeValue(forKey: name) != nil {
                if damaged.contains(name), !kept.contains(name) { problems.append("\(name) is lost") }
            }
        case .addClip(let take):
            if folder[take.fileName] == nil {
                pass(.fileMissing(take.number))
            } else if fails(in: 10) {
                pass(.addingFailed(take.number, "The draft cannot be written."))
            } else {
                if !draft.contains(take.number) { draft = inOrder(draft + [take.number]) }
                pass(.clipAdded(take.number))
            }
        case .discard(let take, let file):
            if fails(in: 10) {
                pass(.discardFailed(take.number, "The draft cannot be written."))
            } else {
                draft.removeAll { $0 == take.number }
                if let content = folder.removeValue(forKey: file.name) { discarded[file.name] = content }
            }
        case .reportDiscards(let numbers): pass(.discardsTried(numbers))
        case .restoreFile(let name):
            if fails(in: 20) {
                pass(.failed("The folder cannot be written."))
                return false
            }
            if let content = discarded.removeValue(forKey: name) { folder[name] = content }
        case .removeFile(let number, let name):
            if discarded.removeValue(forKey: name) != nil { thrownAway.insert(number) }
            pass(.removed(number))
        case .notify: break
        case .end: (part, endsPart, joins, opens, isOpen) = (nil, false, nil, false, false)
        }
        return true
    }

    /// Where a part is seen: behind the clips that come before it, and behind the parts before it.
    private func place(of name: String) -> PartPlace {
        guard let number = parts[name], let take = durable[number] else { return PartPlace() }
        let kept = recording.takes.kept.map(\.number).filter { $0 != recording.current?.replaces }
        let before = inOrder(kept + [number]).prefix { $0 != number }
        let length = before.reduce(Time.zero) { $0 + (durable[$1]?.settings.final(recorded[$1] ?? .zero) ?? .zero) }
        return PartPlace(
            time: length + take.settings.final(recorded[number] ?? .zero), speed: take.settings.speed)
    }

    private mutating func write(_ record: JournalRecord) {
        journal.append(record)
        durable.apply(record)
        if case .part(let take, let name) = record {
            named.formUnion([name, Take(number: take, settings: TakeSettings()).fileName])
            parts[name] = take
        }
    }

    /// A clip comes at the place of the take that it replaces.
    private func inOrder(_ takes: [Int]) -> [Int] {
        takes.sorted { (durable.place(of: $0), $0) < (durable.place(of: $1), $1) }
    }

    // MARK: Checks

    private mutating func check() {
        for name in folder.keys where !named.contains(name) { problems.append("\(name) is not in the journal") }
        if draft != inOrder(Array(Set(draft))) { problems.append("the draft has \(draft)") }
        for number in draft where folder[durable[number]?.fileName ?? ""] == nil {
            problems.append("the file of clip \(number) is missing")
        }
        for (number, content) in recorded where content > .zero && !thrownAway.contains(number) {
            guard let take = durable[number] else { continue }
            let whole = folder[take.fileName] ?? discarded[take.fileName]
            let parts = take.parts.reduce(Time.zero) { $0 + (folder[$1] ?? .zero) }
            if whole ?? parts != content {
                problems.append("take \(number) has \(whole ?? parts) of \(content)")
            }
        }
    }

    /// What is wrong, after the recorder has started once more and everything succeeds.
    mutating func finalProblems() -> [String] {
        isReliable = true
        crash()
        for _ in 0..<1000 where recording.phase != .idle { step() }
        // What was discarded at that start is removed at the next one.
        crash()
        for _ in 0..<1000 where recording.phase != .idle { step() }
        check()
        if recording.phase != .idle { problems.append("it is \(recording.phase)") }
        for take in recording.takes.takes {
            switch take.state {
            case .finished(let file):
                if file.duration != recorded[take.number] { problems.append("take \(take.number) is \(file.duration)") }
            case .removed: break
            case .unjoined, .joined, .discarded: problems.append("take \(take.number) is \(take.state)")
            }
        }
        if draft != inOrder(recording.takes.kept.map(\.number)) { problems.append("the draft has \(draft)") }
        let files = Set(recording.takes.kept.map(\.fileName))
        if Set(folder.keys) != files { problems.append("the folder has \(folder.keys.sorted())") }
        if !discarded.isEmpty { problems.append("\(discarded.keys.sorted()) are not removed") }
        let sum = recording.takes.kept.reduce(Time.zero) { $0 + $1.settings.final(recorded[$1.number] ?? .zero) }
        if sum != recording.takes.duration {
            problems.append("the takes are \(recording.takes.duration) long, not \(sum)")
        }
        return problems.isEmpty ? [] : ["\(name): " + problems.prefix(3).joined(separator: "; ")]
    }
}
