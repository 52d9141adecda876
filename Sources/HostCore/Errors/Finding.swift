import Scripting
import Values

/// One error or warning: a sentence for people and, if available, its parts for programs.
package struct Finding: Hashable, Sendable {
    /// The full sentence, with the place and the object.
    package var text: String
    /// The message alone.
    package var message: String
    /// The object that it concerns: `clip 2 (opening)`.
    package var object: String?
    /// The place in a script or document that made the object.
    package var origin: Origin?

    package init(_ text: String) { (self.text, message) = (text, text) }

    package init(_ problem: Problem) {
        (text, message) = (problem.description, problem.message)
        (object, origin) = (problem.object, problem.origin)
    }

    /// Returns the finding with file names as the user wrote them.
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
