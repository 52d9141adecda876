import Values

/// Actions that pages request.
enum EditorActs {
    /// Values of parameters: a text, a number, true or false, a list of these, or null for the
    /// default.
    struct Values: Decodable {
        var values: [String: Item?]

        enum Item: Decodable {
            case texts([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let list = try? container.decode([Scalar].self) {
                    self = .texts(list.map(\.text))
                } else {
                    self = .texts([try container.decode(Scalar.self).text])
                }
            }
        }

        private struct Scalar: Decodable {
            var text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let bool = try? container.decode(Bool.self) {
                    text = "\(bool)"
                } else if let number = try? container.decode(Double.self) {
                    text = Value.number(number).forPeople
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
    }

    /// A place in a script.
    struct Place: Decodable {
        var file: String
        package var line: Int?
    }
}
