import Draft

/// A line of a check's report, as JSON. Lines are written as things happen, so that a process that
/// dies has said how far it was.
public enum PluginCheckLine: Sendable, Codable, Hashable {
    /// What the process has given up, for people; the first line.
    case isolation(String)
    /// The description of the library, from ``PluginTest/load``.
    case library(Library)
    /// What is about to be done.
    case at(String)
    case finding(Finding)
    /// The test does not apply, and why: half a sentence.
    case skipped(String)
    /// Stands for what was made, to compare with other processes'.
    case digest(String)
    /// The process is about to die of a memory fault. Written by a signal handler, by hand.
    case fault(place: String, offset: Int, length: Int, access: String)
    /// Everything was done.
    case finished

    public struct Library: Sendable, Codable, Hashable {
        public var name: String
        public var effects: [Effect]
        /// The data files that it declares, relative to its folder.
        @DataFiles public var files: [String]

        public struct Effect: Sendable, Codable, Hashable {
            public var id: String
            public var kind: EffectDescriptor.Kind

            public init(id: String, kind: EffectDescriptor.Kind) { (self.id, self.kind) = (id, kind) }
        }

        public init(name: String, effects: [Effect], files: [String] = []) {
            (self.name, self.effects, self.files) = (name, effects, files)
        }
    }

    public struct Finding: Sendable, Codable, Hashable {
        /// What was found: a sentence without a full stop.
        public var what: String
        /// With what: size, format, values, frame. Nil where it does not depend on it.
        public var at: String?
        /// What to do.
        public var advice: String

        public init(what: String, at: String?, advice: String) {
            (self.what, self.at, self.advice) = (what, at, advice)
        }
    }
}
