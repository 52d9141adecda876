import Composition
import Jobs

/// A render as a value: it is told what happened and answers with what is to be done. It knows no
/// files, no clock and no queue; its driver does.
///
/// ```
/// ready ─▶ looking up ⇄ rendering ─▶ assembling ─▶ verifying ─▶ committing ─▶ ended
///              ▲  measuring │  ▲   damaged │
///              └────────────┘  └───────────┘        (ending: from anywhere before committing)
/// ```
/// - Parts are looked up in the cache, then workers render what is missing: { runs, then the sound
///   ∥ segments }.
/// - Where a bit rate is asked for, some segments are rendered at several qualities first
///   (``RateSearch``).
/// - A part in which a plugin fails is rendered without its effect where that is wished
///   (``Detours``).
/// - Parts that are damaged when the file is put together are rendered again, three times at most.
/// - What fails or is stopped ends the render when the last of its jobs has ended. Once the file is
///   about to get its name, nothing stops it.
///
/// Events that do not fit the state (a result that comes twice, an answer to a render that has
/// ended) are passed over.
public struct RenderStateMachine: Sendable {
    public struct Options: Hashable, Sendable {
        /// The folder into which workers write parts.
        public var folder: String
        /// The name under which the file is put together, before it gets its own.
        public var temporary: String
        /// A part goes without the effects of plugins that fail in it; else such a failure ends the
        /// render.
        public var skipsFailingEffects: Bool
        /// Damaged media end the render; else they are reported.
        public var isStrict: Bool

        public init(folder: String, temporary: String, skipsFailingEffects: Bool = false, isStrict: Bool = false) {
            (self.folder, self.temporary, self.skipsFailingEffects) = (folder, temporary, skipsFailingEffects)
            self.isStrict = isStrict
        }
    }

    public let options: Options
    /// The plan at the quality that is being rendered.
    public internal(set) var plan: RenderPlan
    var search: RateSearch?
    /// The parts that are there, of all qualities that were measured.
    var there: [PartVersion: WrittenFile]
    var detours = Detours()
    /// The damage that was reported.
    var told: Set<DamagedMedia> = []
    /// The parts that the cache had when the file's parts were looked up.
    var cached: Set<PartVersion> = []
    var state = State.ready
    private var lastNumber = 0

    /// - Parameter there: parts that are there already and need no job. The parts of an earlier
    ///   render continue that render.
    public init(_ plan: RenderPlan, _ options: Options, there: [PartVersion: WrittenFile] = [:]) {
        self.plan = plan
        self.options = options
        self.there = there
        search = RateSearch(plan)
    }

    public var hasEnded: Bool { if case .ended = state { true } else { false } }

    // MARK: Beginning and end

    public mutating func start() -> [Action] {
        guard case .ready = state else { return [] }
        return goOn()
    }

    /// The render is to stop. Once the file is about to get its name, it gets it.
    public mutating func cancel() -> [Action] {
        switch state {
        case .ready, .lookingUp: end(.stopped, running: [:])
        case .rendering(let rendering): end(.stopped, running: rendering.versions)
        case .assembling(let assembling): end(.stopped, running: [assembling.number: nil])
        case .verifying(let number, _): end(.stopped, running: [number: nil])
        case .committing, .ending, .ended, .changing: []
        }
    }

    /// Ends the render when its jobs have ended.
    mutating func end(_ failure: RenderFailure, running: [WorkOrder.Number: PartVersion?]) -> [Action] {
        guard !running.isEmpty else {
            state = .ended
            return [.finish(.failure(failure))]
        }
        state = .ending(Ending(failure: failure, running: running))
        return [.cancel(running.keys.sorted())]
    }

    // MARK: From goal to goal

    /// Begins the next thing that parts are wanted for.
    mutating func goOn() -> [Action] {
        guard let search else { return gather(.file) }
        switch search.next {
        case .measure(let quality, let segments):
            if let failure = setQuality(quality) { return end(failure, running: [:]) }
            return gather(.measurement(quality: quality, segments: segments))
        case .settled(let quality):
            if let failure = setQuality(quality) { return end(failure, running: [:]) }
            self.search = nil
            guard let error = search.error, abs(error) > 0.1 else { return gather(.file) }
            return [.tell(.missesBitRate(asked: plan.bitRate ?? 0, difference: error))] + gather(.file)
        }
    }

    private mutating func setQuality(_ quality: Double) -> RenderFailure? {
        guard plan.video?.quality != quality else { return nil }
        do {
            // All keys change with it.
            plan = try plan.with(quality: quality)
            return nil
        } catch {
            return RenderFailure(.software, "\(error)")
        }
    }

    mutating func reached(_ goal: Goal) -> [Action] {
        switch goal {
        case .measurement(let quality, let segments):
            var bytes: [Int: Int64] = [:]
            for segment in segments {
                bytes[segment] = there[plan.version(ofSegment: segment)].map { $0.file.payload ?? $0.file.size }
            }
            search?.record(quality: quality, bytes: bytes)
            return goOn()
        case .file: return tellDamage { $0.assemble(repairs: 0) }
        case .repair(let times): return tellDamage { $0.assemble(repairs: times) }
        }
    }

    mutating func order(_ job: Job, priority: Int = 0, place: WorkOrder.Place? = nil, key: String? = nil) -> WorkOrder {
        lastNumber += 1
        return WorkOrder(WorkOrder.Number(lastNumber), job, priority: priority, place: place, key: key)
    }
}
