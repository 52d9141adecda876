import Draft
import Foundation

/// The file names of a picture sequence: `frames/0001.png` for `frames/`, `shot-001.png` for
/// `shot-%03d.png`.
package struct PictureNames: Sendable {
    /// The absolute path.
    package let folder: String
    /// The parts before and after the number.
    private let (prefix, suffix): (String, String)
    /// The least number of digits.
    private let digits: Int
    /// Whether the output was named as a folder, which need not exist.
    package let isFolder: Bool

    /// Names files of a folder.
    package init(folder: String, suffix: String) {
        (self.folder, prefix, self.suffix, digits, isFolder) = (folder, "", "." + suffix, 4, true)
    }

    /// Parses a printf pattern: `%d` or `%0Nd` once, `%%` for a percent sign.
    /// - Returns: nil if the name has no pattern.
    /// - Throws: for an invalid pattern.
    package init?(path: String) throws(HostError) {
        let name = (path as NSString).lastPathComponent
        guard name.contains("%") else { return nil }
        var parts = [""]
        var digits = 0
        var rest = Substring(name)
        while let character = rest.popFirst() {
            guard character == "%" else {
                parts[parts.count - 1].append(character)
                continue
            }
            if rest.first == "%" {
                parts[parts.count - 1].append("%")
                rest.removeFirst()
                continue
            }
            let width = rest.prefix { $0.isASCII && $0.isNumber }
            guard rest.dropFirst(width.count).first == "d", width.isEmpty || width.first == "0",
                let count = Int("0" + width),
                count <= 9, parts.count == 1
            else {
                throw HostError(
                    .usage,
                    "The output ‘\(name)’ has a ‘%’ that is not a number pattern; write ‘%d’ or ‘%04d’ once, and ‘%%’ for a percent sign."
                )
            }
            digits = count
            rest = rest.dropFirst(width.count + 1)
            parts.append("")
        }
        guard parts.count == 2 else { return nil }
        (folder, prefix, suffix, self.digits, isFolder) = (
            (path as NSString).deletingLastPathComponent, parts[0], parts[1], digits, false
        )
    }

    /// Returns whether a name contains a number pattern, `%d` or `%04d`, that is not followed by a
    /// word.
    static func looksNumbered(_ path: String) -> Bool {
        (path as NSString).lastPathComponent.range(of: "(^|[^%])%(0[0-9]+)?d($|[^A-Za-z])", options: .regularExpression)
            != nil
    }

    /// Returns a file's name.
    /// - Parameter number: counted from 1.
    package func name(_ number: Int) -> String {
        let text = String(number)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
    }

    /// Returns whether a file may belong to the sequence.
    package func contains(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let number = name.dropFirst(prefix.count).dropLast(suffix.count)
        return number.utf8.count >= max(1, digits)
            && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    package func path(_ number: Int) -> String { folder + "/" + name(number) }
}
