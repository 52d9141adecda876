import Values

extension Composition {
    /// What effects need around `frames`: what they see of other frames, and what they are warmed
    /// up with before.
    ///
    /// Effects that act on one another's output add up.
    func context(of frames: Range<Int>) -> (lead: Int, window: FrameReach) {
        guard hasContext else { return (0, .none) }
        var seen: Set<Int> = []
        var lead = 0
        var window = FrameReach.none
        let first = Time(middleOfFrame: frames.lowerBound, rate: frameRate)
        for instruction in instructions[instructions.index(endingAfter: first)...] {
            let shown = self.frames(in: instruction.range)
            guard shown.lowerBound < frames.upperBound else { break }
            // No frame shows what lies between two middles.
            guard !shown.isEmpty else { continue }
            for use in instruction.uses where seen.insert(use.effect).inserted {
                lead += effects[use.effect].plugin?.warmUp ?? 0
                window = window + (effects[use.effect].plugin?.window ?? .none)
            }
        }
        return (lead, window)
    }

    private var hasContext: Bool { effects.contains { $0.plugin?.warmUp != nil || $0.plugin?.window != nil } }

    /// Runs of frames that one worker must render in order.
    ///
    /// For a sequential effect: from where its time begins to where it ends, gaps included. For an
    /// effect that warms up: wherever its time goes back, from the first frame that warms it up
    /// again to the first one after the jump. A run includes later frames that look back into it.
    /// Runs that overlap are joined; those that only touch stay apart. In order.
    func sequentialFrames() -> [Range<Int>] {
        var runs = nestedRuns
        guard !runs.isEmpty || effects.contains(where: \.hasState) else { return [] }
        let order = ownOrder
        for (effect, stretches) in order.stretches where effects[effect].hasState {
            if effects[effect].plugin?.state == .sequential {
                var run = stretches[0].frames
                for stretch in stretches.dropFirst() {
                    if stretch.before == nil { runs.append(run) }
                    run = (stretch.before == nil ? stretch.frames : run).lowerBound..<stretch.frames.upperBound
                }
                runs.append(run)
            } else {
                for stretch in stretches where stretch.isReturn {
                    let start = stretch.frames.lowerBound
                    let before = order.frames(
                        before: start, for: effect, since: nil, atMost: effects[effect].plugin?.warmUp ?? 0)
                    if let first = before.first { runs.append(first..<start + 1) }
                }
            }
        }
        runs = runs.map { $0.lowerBound..<endOfLooking(into: $0) }
        runs.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [Range<Int>] = []
        for run in runs {
            if let last = joined.last, last.upperBound > run.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                joined.append(run)
            }
        }
        return joined
    }

    /// The frames that show clips whose drafts have such runs, each clip's as far as it is shown
    /// without a break.
    private var nestedRuns: [Range<Int>] {
        guard let drafts else { return [] }
        let hasRuns = drafts.map { !$0.sequentialFrames().isEmpty }
        guard hasRuns.contains(true) else { return [] }
        var runs: [Range<Int>] = []
        var last: [Int: Int] = [:]
        for instruction in instructions {
            let frames = frames(in: instruction.range)
            guard !frames.isEmpty else { continue }
            for clip in Set(instruction.allClips.map(\.clip)) {
                guard let file = clips[clip].file, let draft = files[file].draft, hasRuns[draft] else { continue }
                if let run = last[clip], runs[run].upperBound == frames.lowerBound {
                    runs[run] = runs[run].lowerBound..<frames.upperBound
                } else {
                    last[clip] = runs.count
                    runs.append(frames)
                }
            }
        }
        return runs
    }

    /// The frame from which on no frame needs one of the run. A segment that begins earlier and
    /// looks back into the run would have to render all of it again.
    private func endOfLooking(into run: Range<Int>) -> Int {
        let farthest = effects.reduce(0) { $0 + ($1.plugin?.warmUp ?? 0) + ($1.plugin?.window?.before ?? 0) }
        let candidates = run.upperBound..<min(frameCount, run.upperBound + farthest)
        let last = candidates.last { frame in
            let context = context(of: frame..<frame + 1)
            return frame - context.lead - context.window.before < run.upperBound
        }
        return last.map { $0 + 1 } ?? run.upperBound
    }
}

extension CompositionEffect {
    /// Its frames depend on those before them.
    public var hasState: Bool { plugin.map { $0.state != .pure } ?? false }
}
