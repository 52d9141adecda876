import Draft
import Values

extension [SoundSpan] {
    /// Returns the spans, with a ``SoundSpan/chain`` for those that continue one another through a
    /// time-stretcher.
    ///
    /// A stretcher that starts anew does not meet the waveform that the one before it ended with.
    /// Cuts of one source that adjoin in output and content therefore share one stretcher and sound
    /// as one clip over the whole.
    func chained() -> [SoundSpan] {
        var result = self
        // The last spans of chains that may go on, by source and direction.
        var tails: [Source: [Int]] = [:]
        var chainCount = 0
        let order = indices.filter { self[$0].isStretched }
            .sorted { (self[$0].map.timeline.start, $0) < (self[$1].map.timeline.start, $1) }
        for index in order {
            let source = Source(file: self[index].file, isReversed: self[index].map.isReversed)
            // A span that ended before this one began has no successor any more.
            var open = tails[source, default: []].filter { self[$0].mayPrecede(self[index].map.timeline.start) }
            if let place = open.firstIndex(where: { self[$0].continues(into: self[index]) }) {
                let previous = open.remove(at: place)
                if result[previous].chain == nil {
                    result[previous].chain = chainCount
                    chainCount += 1
                }
                result[index].chain = result[previous].chain
            }
            tails[source] = open + [index]
        }
        return result
    }

    /// Returns the span that plays the spans of one chain in one run. Its gain is that of the first
    /// one.
    /// - Precondition: not empty, in the order of time, of one chain.
    public func joined() -> SoundSpan {
        var whole = self[0]
        whole.chain = nil
        var pieces: [Piece] = []
        for piece in flatMap({ $0.tempo ?? [$0.map] }) {
            if let last = pieces.last, last.speed == piece.speed {
                pieces[pieces.count - 1].timeline = TimeRange(from: last.timeline.start, to: piece.timeline.end)
            } else {
                pieces.append(piece)
            }
        }
        whole.map = SoundRun(pieces: pieces).line
        whole.tempo = pieces.count > 1 ? pieces : nil
        whole.gain.edges = nil
        return whole
    }

    private struct Source: Hashable {
        var file: Int
        var isReversed: Bool
    }
}

extension SoundSpan {
    /// A time-stretcher plays it.
    fileprivate var isStretched: Bool { keepsPitch && (tempo != nil || map.speed != .one && map.speed != Rational(-1)) }

    private var lastPiece: Piece { tempo?.last ?? map }

    fileprivate func mayPrecede(_ start: Time) -> Bool { map.timeline.end + Piece.adjoiningTolerance >= start }

    fileprivate func continues(into next: SoundSpan) -> Bool { lastPiece.adjoins(next.tempo?.first ?? next.map) }
}
