/// How the host starts a worker that runs one test of a plugin: a process that loads the library,
/// writes what it finds into a file and ends. It has no connection to a host.
public struct PluginCheckLaunch: Hashable, Sendable {
    /// The library, absolute.
    public var path: String
    public var test: PluginTest
    /// Nil for tests of the library.
    public var effectID: String?
    /// Pictures and random values follow from it.
    public var seed: UInt64
    /// The effect is tested as if it declared to be pure and deterministic.
    public var isTakenForPure: Bool
    /// The file to which the worker appends ``PluginCheckLine``s.
    public var report: String

    public init(
        path: String, test: PluginTest, effectID: String?, seed: UInt64, isTakenForPure: Bool = false, report: String
    ) {
        (self.path, self.test, self.effectID, self.seed, self.report) = (path, test, effectID, seed, report)
        self.isTakenForPure = isTakenForPure
    }

    private static let verb = "check-plugin"

    /// The command line, without the program's name.
    public var arguments: [String] {
        [Self.verb, "--path", path, "--test", test.rawValue, "--seed", "\(seed)", "--report", report]
            + (effectID.map { ["--effect", $0] } ?? []) + (isTakenForPure ? ["--as-pure"] : [])
    }

    /// - Returns: nil when the command line is no such start.
    public init?(arguments: [String]) {
        func value(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.endIndex else { return nil }
            return arguments[index + 1]
        }
        guard arguments.first == Self.verb, let path = value("--path"),
            let test = value("--test").flatMap(PluginTest.init),
            let seed = value("--seed").flatMap(UInt64.init), let report = value("--report"),
            test.isOfLibrary || value("--effect") != nil
        else { return nil }
        self.init(
            path: path, test: test, effectID: value("--effect"), seed: seed,
            isTakenForPure: arguments.contains("--as-pure"), report: report)
    }
}
