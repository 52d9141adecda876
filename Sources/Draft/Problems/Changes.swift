import Values

/// Where a script has set properties of an object after it was made.
public struct Changes: Sendable {
    /// Each property once, the latest last.
    private var all: [(property: String, origin: Origin)] = []

    public init() {}

    public mutating func note(_ property: String, at origin: Origin) {
        all.removeAll { $0.property == property }
        all.append((property, origin))
    }

    fileprivate func latest(of properties: [String]) -> Origin? {
        all.last { properties.contains($0.property) }?.origin
    }
}

/// An object that was made at one place, and perhaps changed at others.
protocol Located {
    var origin: Origin? { get }
    var changes: Changes { get }
}

extension Located {
    /// Where the latest of these properties was set; where the object was made, if none was set
    /// since.
    func origin(of properties: String...) -> Origin? { changes.latest(of: properties) ?? origin }
}

/// An object with a sound of its own.
protocol Sounding: Located {
    var sound: ClipSound { get }
}

extension Clip: Sounding {}
extension AudioClip: Sounding {}
extension Effect: Located {}
