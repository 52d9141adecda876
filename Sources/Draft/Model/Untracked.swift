import Values

/// A property that takes no part in `==` and `hash`, such as the place in a script that made an
/// object: the same object made elsewhere is equal to it.
@propertyWrapper
public struct Untracked<Value: Sendable>: Hashable, Sendable {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public static func == (a: Untracked, b: Untracked) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}
}

/// A value that says nothing in one of its states.
public protocol Neutral: Hashable, Sendable {
    static var neutral: Self { get }
}

/// An optional property for which the neutral value is equal to nil.
@propertyWrapper
public struct NilIfNeutral<Value: Neutral>: Hashable, Sendable {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// The value where it says anything.
    public var projectedValue: Value? { wrappedValue == .neutral ? nil : wrappedValue }

    public static func == (a: NilIfNeutral, b: NilIfNeutral) -> Bool { a.projectedValue == b.projectedValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(projectedValue) }
}

extension Placement: Neutral {
    public static let neutral = Placement()
}
