/// The candidate that is most like `name`, for "did you mean": the smallest edit distance (Levenshtein with
/// transpositions of neighbours), at most a third of the name's length and at least two edits; nil where none is near.
public func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    // Nothing has a name this long, and the distance costs the product of the lengths.
    guard name.utf8.count <= 200 else { return nil }
    let limit = max(2, name.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates.sorted() {
        let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()))
        // A plugin's effect is often asked for by the last part of its id.
        let tail = candidate.split(separator: ".").last.map(String.init) ?? candidate
        let tailDistance =
            tail == candidate ? distance : editDistance(Array(name.lowercased()), Array(tail.lowercased()))
        let nearest = min(distance, tailDistance)
        if nearest <= limit, nearest < best?.distance ?? .max { best = (nearest, candidate) }
    }
    return best?.name
}

/// `; did you mean ‘x’?` or, where nothing is near, the list of what there is, unless it is too long to be read.
/// - Parameter others: more candidates, too many to be listed; one is named where it is near and none of the first is.
public func suggestion(
    for name: String, in candidates: some Collection<String>, others: @autoclosure () -> [String] = []
) -> String {
    if let near = nearestName(to: name, in: candidates) ?? nearestName(to: name, in: others()) {
        return "; did you mean ‘\(near)’?"
    }
    if candidates.isEmpty || candidates.count > 20 { return "" }
    return "; there are \(candidates.sorted().joined(separator: ", "))"
}

private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in 1...a.count {
        var current = [i] + [Int](repeating: 0, count: b.count)
        for j in 1...b.count {
            let cost = a[i - 1] == b[j - 1] ? 0 : 1
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                current[j] = min(current[j], before[j - 2] + 1)
            }
        }
        (before, previous) = (previous, current)
    }
    return previous[b.count]
}
