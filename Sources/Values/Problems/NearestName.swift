/// The candidate that is most like `name`, for "did you mean"; nil where none is near.
///
/// Capitals and `_`, `-` and spaces do not count: `addTitle` is `add_title`. Else the smallest edit
/// distance (Levenshtein with transpositions of neighbours) wins, of at most one edit in names up
/// to four letters, two up to eight, and a third of the letters beyond; and some letter must be the
/// same. A short name is near to too much otherwise: `x` is not `id`, nor `avi` `wav`. The first
/// letter may be missing, doubled or swapped, but not replaced, since people rarely mistype it
/// (`rain` is not `gain`). What a name of four letters and more is the beginning of is one edit
/// away from it (`sharp` is `sharpen`), and of two as near the one that begins like it wins.
public func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    nearestName(to: name, in: candidates, within: mostEdits)
}

/// - Parameter mostEdits: the greatest distance at which a name of so many letters is near.
package func nearestName(
    to name: String, in candidates: some Sequence<String>, within mostEdits: (Int) -> Int
) -> String? {
    // Nothing has a name this long, and the distance costs the product of the lengths.
    guard name.utf8.count <= 200 else { return nil }
    let wanted = folded(name[...])
    // What is before the last dot, as in a plugin's id, must not make the rest near.
    let limit = mostEdits(folded(tail(name)).count)
    var best: (likeness: Likeness, name: String)?
    for candidate in candidates.sorted() {
        // A plugin's effect is often asked for by the last part of its id.
        let forms = [folded(candidate[...]), folded(tail(candidate))]
        guard let likeness = forms.lazy.compactMap({ Likeness(wanted, $0, within: limit) }).min(),
            best.map({ likeness < $0.likeness }) ?? true
        else { continue }
        best = (likeness, candidate)
    }
    return best?.name
}

/// How near a name is to a candidate; the smaller, the nearer.
private struct Likeness: Comparable {
    var distance: Int
    /// Letters at the beginning of both.
    var shared: Int

    /// - Returns: nil where they are not alike.
    init?(_ wanted: [Character], _ form: [Character], within limit: Int) {
        shared = zip(wanted, form).prefix { $0 == $1 }.count
        let isBeginning = wanted.count >= 4 && shared == wanted.count && form.count > wanted.count
        guard isBeginning || abs(form.count - wanted.count) <= limit else { return nil }
        distance = isBeginning ? 1 : editDistance(wanted, form)
        // A single letter with one mistake has nothing left to match.
        let mostlyOther = wanted.count < 2 ? 1 : max(wanted.count, form.count)
        guard distance <= limit, distance < mostlyOther, shared > 0 || Self.beginAlike(wanted, form) else { return nil }
    }

    private static func beginAlike(_ a: [Character], _ b: [Character]) -> Bool {
        guard let first = a.first, let other = b.first else { return false }
        return a.dropFirst().first == other || b.dropFirst().first == first
    }

    static func < (a: Likeness, b: Likeness) -> Bool { (a.distance, -a.shared) < (b.distance, -b.shared) }
}

/// `; did you mean ‘x’?`; where nothing is near, the list of what there is, unless that is too long
/// to be read: then those that begin with the same word (`add_`).
/// - Parameters:
///   - others: more candidates, too many to be listed; one is named where it is near and none of
///     the first is.
///   - otherNames: what people call the candidates who come from other tools.
public func suggestion(
    for name: String, in candidates: some Collection<String>, others: @autoclosure () -> [String] = [],
    otherNames: OtherNames? = nil
) -> String {
    let near = nearestName(to: name, in: candidates)
    // The same name written another way is surer than what a table knows, and that is surer than
    // what is only like it.
    if let near, [near[...], tail(near)].contains(where: { spelled($0) == spelled(name[...]) }) {
        return "; did you mean ‘\(near)’?"
    }
    if let advice = otherNames?.advice(for: name, in: candidates) { return advice }
    let misspelled = otherNames?.advice(forMisspelled: name, in: candidates)
    // What another tool has, but for one letter, is nearer than what differs in two.
    if let misspelled, nearestName(to: name, in: candidates, within: { _ in 1 }) == nil { return misspelled }
    if let near = near ?? nearestName(to: name, in: others()) { return "; did you mean ‘\(near)’?" }
    if let misspelled { return misspelled }
    let many = 20
    if !candidates.isEmpty, candidates.count <= many {
        return listing(candidates)
    }
    let word = name.prefix { $0 != "_" && !$0.isUppercase } + "_"
    let alike = candidates.filter { $0.hasPrefix(word) }
    return (1...many).contains(alike.count) ? listing(alike) : ""
}

private func listing(_ names: some Collection<String>) -> String {
    "; there \(names.count == 1 ? "is" : "are") \(names.sorted().joined(separator: ", "))"
}

/// A name without what does not count.
func folded(_ name: Substring) -> [Character] { name.lowercased().filter { !"_- ".contains($0) } }

/// A name without what does not count, in American spelling.
private func spelled(_ name: Substring) -> String {
    [("colour", "color"), ("centre", "center"), ("grey", "gray")].reduce(String(folded(name))) {
        $0.replacing($1.0, with: $1.1)
    }
}

/// What follows the last dot.
private func tail(_ name: String) -> Substring { name.split(separator: ".").last ?? name[...] }

private func mostEdits(_ count: Int) -> Int { count <= 4 ? 1 : max(2, count / 3) }

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
