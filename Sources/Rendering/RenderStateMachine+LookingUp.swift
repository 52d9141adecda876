import Composition
import Jobs

/// How the cache is asked for parts.
extension RenderStateMachine {
    mutating func gather(_ goal: Goal) -> [Action] {
        let known = missing(for: goal).filter { !$0.isUncertain }
        guard !known.isEmpty else { return renderMissing(goal) }
        state = .lookingUp(LookingUp(goal: goal, unanswered: Set(known)))
        return [.lookUp(known)]
    }

    /// The cache has a part, under a path of this render's own, or has not (nil).
    public mutating func cacheAnswered(_ version: PartVersion, _ file: WrittenFile?) -> [Action] {
        guard case .lookingUp(var lookingUp) = state, lookingUp.unanswered.contains(version) else { return [] }
        state = .changing
        lookingUp.unanswered.remove(version)
        let notices = notices(of: file)
        if let file {
            there[version] = file
            lookingUp.hits.insert(version)
        }
        guard lookingUp.unanswered.isEmpty else {
            state = .lookingUp(lookingUp)
            return notices
        }
        if lookingUp.goal == .file {
            cached = lookingUp.hits
        }
        return notices + renderMissing(lookingUp.goal)
    }

    /// What is to be said of a part, made now or before.
    func notices(of file: WrittenFile?) -> [Action] {
        guard let level = file?.file.level, level.shortfall != nil else { return [] }
        return [.tell(.missesLoudness(level))]
    }

    /// The parts that a goal lacks.
    func missing(for goal: Goal) -> [PartVersion] { versions(for: goal).filter { there[$0] == nil } }

    /// The parts that a goal needs, each once: the sound and, where it is not there, its runs; then
    /// the segments.
    func versions(for goal: Goal) -> [PartVersion] {
        var seen: Set<PartVersion> = []
        let wanted = soundVersions + segments(for: goal).map(plan.version(ofSegment:))
        return wanted.filter { seen.insert($0).inserted }
    }

    private var soundVersions: [PartVersion] {
        guard let sound = plan.soundVersion else { return [] }
        return [sound] + (there[sound] == nil ? plan.runs.indices.map(plan.version(ofRun:)) : [])
    }

    /// The sound is missing, and everything that it is encoded from is there.
    var canEncodeSound: Bool {
        guard let sound = plan.soundVersion, there[sound] == nil else { return false }
        return plan.runs.indices.allSatisfy { there[plan.version(ofRun: $0)] != nil }
    }

    /// The segments that a goal needs.
    func segments(for goal: Goal) -> [Int] {
        if case .measurement(_, let segments) = goal { segments } else { Array(plan.segments.indices) }
    }
}
