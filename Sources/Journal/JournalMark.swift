import Files
import Foundation

/// What the journal had when it was written last, in a file beside it.
///
/// SQLite takes the part of a write-ahead log that is whole and says nothing of a part that is
/// missing: a log that was cut or removed is a valid, older journal. This file tells the two apart.
/// It is written after each transaction, without a sync: a power cut may leave an older one, which
/// says too little and never too much.
struct JournalMark: Equatable {
    /// Transactions that were committed.
    var commits: Int64 = 0
    /// Greater than the number of any render.
    var nextRender: Int64 = 1
    /// Greater than any epoch that was set aside.
    var nextEpoch: Int64 = 1

    static let fileName = "journal.mark"
    private static let (magic, width) = ("CTRMMRK1", 19)
    /// What the numbers may be: the largest leaves room to count on.
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

    /// - Returns: nil where there is none, or it is not whole.
    init?(path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(String(decoding: data.prefix(256), as: UTF8.self))
    }

    /// Writes it over the one before, in one call: a process that is killed leaves the old one or
    /// the new.
    /// - Returns: whether it is written.
    func write(to file: borrowing OpenFile) -> Bool { (try? file.write(text.utf8, at: 0)) != nil }

    /// What is missing in a journal that has `found` of what this mark says was committed: a
    /// sentence; nil where nothing is.
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
