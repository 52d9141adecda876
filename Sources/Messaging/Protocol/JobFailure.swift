/// The reason why a job failed, from the worker, or from the broker if the worker died.
public struct JobFailure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    public enum Category: String, Sendable, Codable {
        /// The user's material or request is wrong.
        case input
        /// A plugin reported an error or took its worker down.
        case plugin
        /// The machine lacks a resource: disk space, memory, a permission.
        case resource
        /// No worker could run the job.
        case unavailable
        /// A fault in Cutroom itself. Retried once in a fresh worker.
        case `internal`
        /// The host cancelled the job.
        case cancelled
        /// This machine cannot run the job, but another one may: it goes there, and none of its
        /// attempts is used up.
        case declined

        /// Decodes a category. An unknown one becomes an internal fault: a failure must never get
        /// lost.
        public init(from decoder: any Decoder) throws {
            self = try Self(rawValue: decoder.singleValueContainer().decode(String.self)) ?? .internal
        }
    }

    public var category: Category
    /// One sentence for people: the object, the place, what to do.
    public var message: String
    /// The chain of causes and evidence, outermost first; shown with `--verbose`.
    public var details: [String]
    /// The plugin that is to blame, if any.
    public var blame: PluginBlame?
    /// The fault, if the job took its process down or hung.
    public var fault: JobFault?
    /// Whether the reason may be temporary: the job is retried once after a pause, by another
    /// worker. Other failures are final at once, except `.internal`.
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

    /// Decodes a failure. Missing fields other than category and message do not make it fail: a
    /// failure must never get lost.
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

/// The way in which a job ended its process.
public struct JobFault: Hashable, Sendable, Codable {
    /// The reason, as half a sentence for people.
    public var reason: String
    /// The call in progress: plugin, path, frame.
    public var culprit: String?
    /// Whether the machine lacks a resource for the job.
    public var isLack: Bool

    public init(_ reason: String, culprit: String? = nil, isLack: Bool = false) {
        (self.reason, self.culprit, self.isLack) = (reason, culprit, isLack)
    }
}

/// An error that provides its own report to the host. Other errors are reported as `.internal`.
public protocol JobFailureConvertible: Error {
    var jobFailure: JobFailure { get }
}

extension JobFailure: JobFailureConvertible {
    public var jobFailure: JobFailure { self }
}

extension JobFailure {
    /// Converts any error: by its own report if it has one, else to `.internal` with its
    /// description.
    public init(_ error: any Error) {
        if let convertible = error as? any JobFailureConvertible {
            self = convertible.jobFailure
        } else {
            self.init(.internal, "\(error)", details: ["\(type(of: error))"])
        }
    }
}
