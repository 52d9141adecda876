import Foundation
import Testing

/// JSON that a command prints, with snake-case keys.
enum PrintedJSON {
    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: data)
    }

    /// Expects that every key in it, at any depth, is in snake case, and that these are among them.
    static func expectSnakeCase(
        _ text: String, with names: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var keys: Set<String> = []
        func gather(_ value: Any) {
            if let object = value as? [String: Any] {
                keys.formUnion(object.keys)
                object.values.forEach(gather)
            }
            if let list = value as? [Any] { list.forEach(gather) }
        }
        gather(try JSONSerialization.jsonObject(with: Data(text.utf8)))
        let others = keys.filter { $0.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) == nil }
        #expect(others.isEmpty && keys.isSuperset(of: names), "\(keys.sorted())", sourceLocation: sourceLocation)
    }
}
