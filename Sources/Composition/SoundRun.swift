import Draft
import Values

/// Sound of a clip that goes on in one direction, perhaps at changing speeds.
struct SoundRun {
    /// Output time → source time: pieces that adjoin.
    var pieces: [Piece]
    var edges = SoundSpan.SoftEdges()

    /// What is heard of a clip with a map of time of its own, stops left out.
    /// - Parameter pieces: output time → source time, in order.
    static func runs(_ pieces: [Piece]) -> [SoundRun] {
        var runs: [SoundRun] = []
        for piece in pieces where piece.speed != .zero {
            if let last = runs.last?.pieces.last, last.isReversed == piece.isReversed, last.adjoins(piece) {
                runs[runs.count - 1].pieces.append(piece)
            } else {
                runs.append(SoundRun(pieces: [piece]))
            }
        }
        for index in runs.indices.dropFirst() where !runs[index - 1].turns(into: runs[index]) {
            runs[index - 1].edges.end = runs[index - 1].range.end
            runs[index].edges.start = runs[index].range.start
        }
        // Before the first one and after the last one a picture may stand.
        if let first = pieces.first, first.speed == .zero, let run = runs.first {
            runs[0].edges.start = run.range.start
        }
        if let last = pieces.last, last.speed == .zero, let run = runs.last {
            runs[runs.count - 1].edges.end = run.range.end
        }
        return runs
    }

    var range: TimeRange {
        TimeRange(from: pieces[0].timeline.start, to: pieces[pieces.count - 1].timeline.end)
    }

    /// The straight line from its first time to its last.
    var line: Piece {
        guard pieces.count > 1 else { return pieces[0] }
        let content = pieces[pieces.count - 1].content(at: range.end) - pieces[0].contentStart
        return Piece(
            timeline: range, contentStart: pieces[0].contentStart,
            speed: Rational(content.flicks, max(1, range.duration.flicks)))
    }

    /// At its own speed sound turns round without a jump: the next sample is the last one again. A
    /// stretcher does not meet it to the sample.
    private func turns(into next: SoundRun) -> Bool {
        guard let last = pieces.last, let first = next.pieces.first, pieces.count == 1, next.pieces.count == 1 else {
            return false
        }
        return last.speed * Rational(-1) == first.speed && last.speed.numerator.magnitude == 1
            && last.speed.denominator == 1 && last.timeline.end == first.timeline.start
            && last.content(at: last.timeline.end) == first.contentStart
    }
}

extension PlacedClip {
    /// What is heard of the clip while it plays `content`.
    /// - Parameter content: output time → content time, as ``PlacedClip/piece`` has it.
    func runs(_ content: Piece) -> [SoundRun] {
        time.map { SoundRun.runs(TimeMap([content]).then($0).pieces) } ?? [SoundRun(pieces: [content])]
    }
}

extension SoundSpan {
    /// - Parameter gain: without the run's soft edges.
    init(_ run: SoundRun, file: Int, voice: Int, gain: Gain) {
        self.init(file: file, voice: voice, map: run.line, keepsPitch: true, gain: gain)
        if run.pieces.count > 1 { tempo = run.pieces }
        if run.edges != SoftEdges() { self.gain.edges = run.edges }
    }
}
