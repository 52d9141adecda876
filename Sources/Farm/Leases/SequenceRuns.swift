/// The waiting indices of a sequence, as maximal runs of consecutive numbers, in order.
struct SequenceRuns {
    private(set) var runs: [Range<Int>] = []

    var isEmpty: Bool { runs.isEmpty }

    /// Returns the position of the first run that ends after `index`.
    private func position(of index: Int) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(_ index: Int) -> Bool {
        let at = position(of: index)
        return at < runs.count && runs[at].contains(index)
    }

    /// Adds an index that is not there yet, joining adjacent runs.
    mutating func insert(_ index: Int) {
        let at = position(of: index)
        let joinsLeft = at > 0 && runs[at - 1].upperBound == index
        let joinsRight = at < runs.count && runs[at].lowerBound == index + 1
        switch (joinsLeft, joinsRight) {
        case (true, true):
            runs[at - 1] = runs[at - 1].lowerBound..<runs[at].upperBound
            runs.remove(at: at)
        case (true, false): runs[at - 1] = runs[at - 1].lowerBound..<index + 1
        case (false, true): runs[at] = index..<runs[at].upperBound
        case (false, false): runs.insert(index..<index + 1, at: at)
        }
    }

    /// Removes an index, splitting its run.
    mutating func remove(_ index: Int) {
        let at = position(of: index)
        guard at < runs.count, runs[at].contains(index) else { return }
        let parts = [runs[at].lowerBound..<index, index + 1..<runs[at].upperBound].filter { !$0.isEmpty }
        runs.replaceSubrange(at...at, with: parts)
    }

    /// Returns the index at which a worker from another place should start, so that workers walk
    /// through disjoint ranges.
    ///
    /// A run that follows another worker's position will be walked by that worker, so only its
    /// second half counts, and is entered at its middle; any other run is entered at its start. The
    /// longest range wins; of equals, the first.
    /// - Parameter isWalked: returns whether a worker is at an index.
    func entry(isWalked: (Int) -> Bool) -> Int? {
        var best: (length: Int, index: Int)?
        for run in runs {
            let walked = isWalked(run.lowerBound - 1)
            let index = walked ? run.lowerBound + run.count / 2 : run.lowerBound
            let length = run.upperBound - index
            if best.map({ length > $0.length }) ?? true { best = (length, index) }
        }
        return best?.index
    }
}
