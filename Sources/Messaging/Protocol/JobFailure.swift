/// Why a job could not be done, as the worker (or the broker, when the worker died) tells it.
public struct JobFailure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Category: String, Sendable, Codable {
        /// The user's material or request is wrong.
        case input
        /// A plugin reported an error or took its worker down.
        case plugin
        /// The machine lacks something: disk space, memory, a permission.
        case resource
        /// There is no worker that could do it.
        case unavailable
        /// A fault of Cutroom's own. Tried once more on a fresh worker.
        case `internal`
        /// The host asked for the job's end.
        case cancelled
        /// This machine cannot do it, and another one may: the job goes there, and none of its attempts is spent.
        case declined

        /// A category that this version does not know counts as an internal fault: a failure must never get lost.
        public init(from decoder: any Decoder) throws {
            self = try Self(rawValue: decoder.singleValueContainer().decode(String.self)) ?? .internal
        }
    }

    public var category: Category
    /// One sentence for people: the object, the place, what to do.
    public var message: String
    /// The chain of causes and evidence, outermost first; shown with `--verbose`.
    public var details: [String]
    /// The plugin that is to blame, where one is.
    public var blame: PluginBlame?
    /// Set where the job took its process down, or stood still.
    public var fault: JobFault?
    /// The reason may pass: tried once more after a pause, by another worker. Others are final at once, but for `.internal`.
    public var isTransient: Bool

    public init(
        _ category: Category, _ message: String, details: [String] = [], blame: PluginBlame? = nil,
        fault: JobFault? = nil, isTransient: Bool = false
    ) {
        self.category = category
        self.message = message
        self.details = details
        self.blame = blame
        self.fault = fault
        self.isTransient = isTransient
    }

    /// A failure must never get lost for what it lacks beside its category and message.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(Category.self, forKey: .category), try fields.decode(String.self, forKey: .message),
            details: try fields.decodeIfPresent([String].self, forKey: .details) ?? [],
            blame: try fields.decodeIfPresent(PluginBlame.self, forKey: .blame),
            fault: try fields.decodeIfPresent(JobFault.self, forKey: .fault),
            isTransient: try fields.decodeIfPresent(Bool.self, forKey: .isTransient) ?? false)
    }

    public var description: String { message }
}

/// How a job ended the process that ran it.
public struct JobFault: Hashable, Sendable, Codable {
    /// For people: half a sentence.
    public var reason: String
    /// What was being called: plugin, path, frame.
    public var culprit: String?
    /// The machine has not enough for it.
    public var isLack: Bool

    public init(_ reason: String, culprit: String? = nil, isLack: Bool = false) {
        (self.reason, self.culprit, self.isLack) = (reason, culprit, isLack)
    }
}

/// An error that knows how it is to be reported to the host. Other errors are reported as `.internal`.
public protocol JobFailureConvertible: Error {
    var jobFailure: JobFailure { get }
}

extension JobFailure: JobFailureConvertible {
    public var jobFailure: JobFailure { self }
}

extension JobFailure {
    /// Any error as a failure: its own account where it has one, else `.internal` with its description.
    public init(_ error: any Error) {
        if let convertible = error as? any JobFailureConvertible {
            self = convertible.jobFailure
        } else {
            self.init(.internal, "\(error)", details: ["\(type(of: error))"])
        }
    }
}
