import Draft
import Scripting

/// One thing that is wrong, or hardly meant: a sentence for people, and its parts for programs where it has some.
package struct Finding: Hashable, Sendable {
    /// With the place and the object.
    package var text: String
    /// Without them.
    package var message: String
    /// What it is about: `clip 2 (opening)`.
    package var object: String?
    /// Where a script or document made the object.
    package var origin: Origin?

    package init(_ text: String) { (self.text, message) = (text, text) }

    package init(_ problem: Problem) {
        (text, message) = (problem.description, problem.message)
        (object, origin) = (problem.object, problem.origin)
    }

    /// The same with the files' names as they were written.
    func naming(_ names: PathNames) -> Finding {
        var finding = self
        (finding.text, finding.message) = (names.applied(to: text), names.applied(to: message))
        finding.object = object.map(names.applied)
        return finding
    }

    package init(_ error: ScriptError) {
        (text, message, object) = ("\(error)", error.message, error.object)
        origin = error.file.map { Origin(file: $0, line: error.line) }
    }
}

extension Finding: Encodable {
    private enum CodingKeys: String, CodingKey { case message, object, file, line }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(object, forKey: .object)
        try container.encodeIfPresent(origin?.file, forKey: .file)
        try container.encodeIfPresent(origin?.line, forKey: .line)
    }
}
