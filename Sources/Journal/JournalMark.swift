import Files
import Foundation

/// The state of the journal after its last write, in a separate file.
///
/// SQLite uses the intact part of a write-ahead log and does not report a missing part: a truncated
/// or deleted log is a valid, older journal. This file makes the difference detectable. It is
/// written after each transaction, without a sync: after a power failure it may be older than the
/// journal, and thus report too little, but never too much.
struct JournalMark: Equatable {
    /// The number of committed transactions.
    var commits: Int64 = 0
    /// Greater than the number of any render.
    var nextRender: Int64 = 1
    /// Greater than any reserved epoch.
    var nextEpoch: Int64 = 1

    static let fileName = "journal.mark"
    private static let (magic, width) = ("CTRMMRK1", 19)
    /// The valid range of the numbers; the upper bound leaves room to increment them.
    static let numbers: ClosedRange<Int64> = 0...(1 << 62)

    private var text: String {
        let numbers = [commits, nextRender, nextEpoch].map { number in
            String(repeating: "0", count: max(0, Self.width - "\(number)".count)) + "\(number)"
        }
        return ([Self.magic] + numbers).joined(separator: " ") + "\n"
    }

    private init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 4, words[0] == Self.magic else { return nil }
        let numbers = words.dropFirst().compactMap { Int64($0) }
        guard numbers.count == 3, numbers.allSatisfy(Self.numbers.contains) else { return nil }
        (commits, nextRender, nextEpoch) = (numbers[0], numbers[1], numbers[2])
    }

    init(commits: Int64 = 0, nextRender: Int64 = 1, nextEpoch: Int64 = 1) {
        (self.commits, self.nextRender, self.nextEpoch) = (commits, nextRender, nextEpoch)
    }

    /// Reads a mark; nil if there is none, or it is incomplete.
    init?(path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(String(decoding: data.prefix(256), as: UTF8.self))
    }

    /// Writes it over the one before, in one call: a process that is killed leaves the old one or
    /// the new.
    /// - Returns: whether it is written.
    func write(to file: borrowing OpenFile) -> Bool { (try? file.write(text.utf8, at: 0)) != nil }

    /// Returns a sentence about what a journal with the mark `found` lacks compared to this mark;
    /// nil if nothing is missing.
    func loss(in found: JournalMark, _ path: String) -> String? {
        guard commits > found.commits else { return nil }
        let count = commits - found.commits
        let renders =
            nextRender > found.nextRender
            ? "renders \(found.nextRender) to \(nextRender - 1) are lost, and others may be in an earlier state"
            : "renders may be in an earlier state"
        return
            "The journal ‘\(path)’ lacks its last \(count) writes, because its log was truncated or an older copy was put in its "
            + "place: \(renders); submit missing renders again."
    }
}
