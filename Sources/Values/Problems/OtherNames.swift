/// What people call things who come from other tools (FFmpeg, MoviePy, OpenTimelineIO, CSS,
/// programs with windows), and what to say to them. There is a table for each kind of object; the
/// model's are in `OtherNames+Tables.swift`.
public struct OtherNames: Sendable {
    private enum Advice {
        /// There it is called so.
        case name(String)
        /// There is no such thing; a sentence that says what there is.
        case sentence(String)
    }

    /// By names as ``folded(_:)`` makes them.
    private let advice: [[Character]: Advice]

    /// - Parameters:
    ///   - names: what is called otherwise here, with what others call it, separated by spaces.
    ///   - sentences: what is said, without the semicolon before it, of the names beside it.
    public init(_ names: KeyValuePairs<String, String>, saying sentences: KeyValuePairs<String, String> = [:]) {
        self.init(names.map { ($0, $1) }, saying: sentences.map { ($0, $1) })
    }

    package init(_ names: [(String, String)], saying sentences: [(String, String)] = []) {
        var advice: [[Character]: Advice] = [:]
        func add(_ words: String, _ one: Advice) {
            for word in words.split(separator: " ") { advice[folded(word)] = one }
        }
        for (name, words) in names { add(words, .name(name)) }
        for (sentence, words) in sentences { add(words, .sentence(sentence)) }
        self.advice = advice
    }

    private init(_ advice: [[Character]: Advice]) { self.advice = advice }

    /// This table with what another one knows besides.
    package func with(_ other: OtherNames) -> OtherNames { OtherNames(advice.merging(other.advice) { own, _ in own }) }

    /// This table without what it says of some names.
    package func without(_ names: [String]) -> OtherNames {
        let known = Set(names.map { folded($0[...]) })
        return OtherNames(advice.filter { !known.contains($0.key) })
    }

    /// The name that goes by `other` here; nil where the table has none.
    public func name(for other: String) -> String? {
        if case .name(let here)? = advice[folded(other[...])] { here } else { nil }
    }

    /// The advice for a name of the table that is written wrong by a letter (by two where it is
    /// long), as `widht` is.
    package func advice(forMisspelled name: String, in candidates: some Collection<String>) -> String? {
        let meant = nearestName(to: name, in: advice.keys.map { String($0) }) { $0 < 5 ? 0 : $0 <= 8 ? 1 : 2 }
        return meant.flatMap { advice(for: $0, in: candidates) }
    }

    /// `; did you mean ‘volume’?` or a sentence; nil where nothing is known of `name`, or what it
    /// is called here is not there.
    /// - Parameter candidates: what the object has.
    public func advice(for name: String, in candidates: some Collection<String>) -> String? {
        // An id is known by its last part.
        let last = name.split(separator: ".").last ?? name[...]
        switch advice[folded(last)] {
        case .name(let here)?: return candidates.contains(here) ? "; did you mean ‘\(here)’?" : nil
        case .sentence(let sentence)?: return "; \(sentence)"
        case nil: return nil
        }
    }
}
