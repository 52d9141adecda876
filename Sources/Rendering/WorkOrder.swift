import Jobs

/// A job that a render wants done, before a queue has given it a name and an epoch.
public struct WorkOrder: Hashable, Sendable {
    /// The order's number within its render: counted up, never used twice.
    public struct Number: Hashable, Sendable, Comparable {
        public let value: Int

        public init(_ value: Int) { self.value = value }

        public static func < (a: Number, b: Number) -> Bool { a.value < b.value }
    }

    /// The place of a job among others that one worker does best one after the other.
    public struct Place: Hashable, Sendable {
        public var group: String
        public var index: Int

        public init(group: String, index: Int) { (self.group, self.index) = (group, index) }
    }

    public var number: Number
    public var job: Job
    /// Higher ones are given out first.
    public var priority: Int
    public var place: Place?
    /// What the job makes, where that is a part as others may have it; else nil.
    public var key: String?

    public init(_ number: Number, _ job: Job, priority: Int = 0, place: Place? = nil, key: String? = nil) {
        (self.number, self.job, self.priority, self.place, self.key) = (number, job, priority, place, key)
    }
}
