import Delivery
import Draft
import Values

/// The three lists of a draft, by the names that scripts use.
enum ListName: String, CaseIterable {
    case clips, audio, effects

    /// One entry's name in messages.
    var singular: String {
        switch self {
        case .clips: "clip"
        case .audio: "audio"
        case .effects: "effect"
        }
    }
}

/// One entry of a list. Its key is its own for ever, so that a script's `clip` stays the same clip
/// when others are moved or removed.
struct Item {
    enum Element {
        case clip(Clip)
        case audio(AudioClip)
        case effect(Effect)
    }

    let key: Int
    var element: Element
    /// Bytes that it is reckoned to take.
    var cost: Int

    var id: String? {
        switch element {
        case .clip(let clip): clip.id
        case .audio(let clip): clip.id
        case .effect(let effect): effect.id
        }
    }

    var isPassThrough: Bool { if case .effect(let effect) = element { effect.isPassThrough } else { false } }
}

/// A draft while its script runs: the contents, what open transactions would go back to, and where
/// everything lies.
struct DraftState {
    struct Contents {
        /// Where the draft was made.
        var origin: Origin?
        var canvas = Canvas()
        var backgroundOrigin: Origin?
        var timeRange: TimeRange?
        var timeRangeOrigin: Origin?
        var backgroundDuration: Time?
        var backgroundDurationOrigin: Origin?
        var loudness = Loudness()
        var export = ExportSettings()
        var exportOrigin: Origin?
        private var lists: [ItemList] = [[], [], []]

        subscript(list: ListName) -> ItemList {
            get { lists[list.index] }
            set { lists[list.index] = newValue }
            _modify { yield &lists[list.index] }
        }
    }

    private(set) var contents = Contents()
    /// What other drafts show of it, and where it was first put into one: from then on it does not
    /// change.
    private(set) var shown: (nested: NestedDraft, origin: Origin)?
    private var snapshots: [(contents: Contents, origin: Origin)] = []
    private var outline: Outline?

    /// Every change goes through here, so that the outline is never out of date.
    mutating func change<Result>(_ body: (inout Contents) throws -> Result) rethrows -> Result {
        outline = nil
        return try body(&contents)
    }

    var draft: Draft {
        var draft = Draft(canvas: contents.canvas)
        draft.origin = contents.origin
        draft.backgroundOrigin = contents.backgroundOrigin
        draft.timeRange = contents.timeRange
        draft.timeRangeOrigin = contents.timeRangeOrigin
        draft.backgroundDuration = contents.backgroundDuration
        draft.backgroundDurationOrigin = contents.backgroundDurationOrigin
        draft.loudness = contents.loudness
        draft.export = contents.export
        draft.exportOrigin = contents.exportOrigin
        draft.clips = contents[.clips].compactMap { if case .clip(let clip) = $0.element { clip } else { nil } }
        draft.audio = contents[.audio].compactMap { if case .audio(let clip) = $0.element { clip } else { nil } }
        draft.effects = contents[.effects].compactMap {
            if case .effect(let effect) = $0.element { effect } else { nil }
        }
        return draft
    }

    /// Where everything lies, found out when it is first asked for after a change.
    mutating func outline(_ catalog: Catalog) -> Outline {
        if let outline { return outline }
        let made = Outline(draft, catalog: catalog)
        outline = made
        return made
    }

    /// The draft as others show it.
    /// - Parameter origin: where it is put into one.
    mutating func show(at origin: Origin) -> NestedDraft {
        if let shown { return shown.nested }
        let nested = NestedDraft(draft)
        shown = (nested, origin)
        return nested
    }

    var cost: Int { ListName.allCases.reduce(0) { $0 + contents[$1].reduce(0) { $0 + $1.cost } } }

    // MARK: Transactions

    /// How many transactions are open.
    var depth: Int { snapshots.count }
    /// Where the innermost open transaction began.
    var openTransaction: Origin? { snapshots.last?.origin }

    mutating func begin(_ origin: Origin) { snapshots.append((contents, origin)) }

    mutating func commit() { _ = snapshots.popLast() }

    /// Goes back to where the innermost transaction began.
    mutating func cancel() {
        guard let snapshot = snapshots.popLast() else { return }
        outline = nil
        contents = snapshot.contents
    }
}

extension ListName {
    fileprivate var index: Int {
        switch self {
        case .clips: 0
        case .audio: 1
        case .effects: 2
        }
    }
}

extension DraftState.Contents {
    mutating func take(_ options: DraftOptions, _ origin: Origin) {
        (timeRange, timeRangeOrigin) = (options.timeRange, origin)
        (backgroundDuration, backgroundDurationOrigin) = (options.backgroundDuration, origin)
        loudness = options.loudness
    }

    /// Takes one of the options.
    mutating func take(_ options: DraftOptions, setting name: String, _ origin: Origin) {
        switch name {
        case "time_range": (timeRange, timeRangeOrigin) = (options.timeRange, origin)
        case "duration": (backgroundDuration, backgroundDurationOrigin) = (options.backgroundDuration, origin)
        case "loudness": (loudness.integrated, loudness.origin) = (options.loudness.integrated, origin)
        default: (loudness.truePeak, loudness.origin) = (options.loudness.truePeak, origin)
        }
    }

    /// What an opened document says beside its lists, its canvas and its export settings.
    mutating func take(_ document: Draft) {
        (timeRange, timeRangeOrigin) = (document.timeRange, document.timeRangeOrigin)
        (backgroundDuration, backgroundDurationOrigin) = (
            document.backgroundDuration, document.backgroundDurationOrigin
        )
        loudness = document.loudness
    }
}
