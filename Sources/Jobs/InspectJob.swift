import Composition
import Draft

/// Reads the descriptors of the plugins on a search path.
public struct InspectJob: WorkerJob {
    public static let kind = "inspect"

    public var searchPaths: [String]
    /// Libraries on it that are not to be opened.
    public var leftOut: [String] = []
    /// The data files of the one library, relative to its folder, once they are known: a node has
    /// to bring them.
    @DataFiles public var files: [String] = []
    /// How long opening and describing may take; nil: as long as any job. A longer one fails, and
    /// its worker leaves.
    public var seconds: Double?

    public init(searchPaths: [String]) { self.searchPaths = searchPaths }

    /// The limit for libraries that do not come with Cutroom. Every command that knows plugins
    /// opens all of them.
    public static let longestDescription = 10.0

    /// Reads those of one library, which does not come with Cutroom.
    public init(_ library: String, seconds: Double = longestDescription) {
        self.init(searchPaths: [library])
        self.seconds = seconds
    }

    public struct Reply: Sendable, Codable {
        public var effects: [EffectDescriptor]
        /// Libraries that could not be used, each with its path and the reason.
        public var problems: [String]
        /// The data files that a library declares, where one of them is not there.
        @DataFiles public var lacking: [String] = []

        public init(effects: [EffectDescriptor], problems: [String], lacking: [String] = []) {
            self.effects = effects
            self.problems = problems
            self.lacking = lacking
        }
    }
}

extension InspectJob {
    public mutating func mapPaths(_ change: PathChange) {
        let use: PathUse = files.isEmpty ? .searches : .loads(files: files)
        searchPaths = searchPaths.map { change($0, use) }
        leftOut = leftOut.map { change($0, .searches) }
    }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) {
        for index in reply.effects.indices { reply.effects[index].path = terms.path(reply.effects[index].path) }
        reply.problems = reply.problems.map(terms.text)
    }

    public var libraries: Set<String> { Set(searchPaths).subtracting(leftOut) }
}
