/// How the process is started that puts effects on live pictures.
public struct LiveLaunch: Hashable, Sendable, Codable {
    /// `cutroom-worker`.
    public var program: String
    public var folder: LiveFolder
    /// The size of the pictures in pixels, even.
    public var width: Int
    public var height: Int

    public init(program: String, folder: LiveFolder, width: Int, height: Int) {
        (self.program, self.folder, self.width, self.height) = (program, folder, width, height)
    }
}

/// A folder of that process's own, and the files in it.
public struct LiveFolder: Hashable, Sendable, Codable {
    /// Absolute.
    public var path: String

    public init(_ path: String) { self.path = path }

    /// The effects, as JSON of `LivePlan`.
    public var plan: String { path + "/plan.json" }
    /// The note of the plugin that the process is calling.
    public var breadcrumb: String { path + "/breadcrumb" }
    /// Why the process ends, as JSON of ``LiveComplaint``.
    public var complaint: String { path + "/complaint.json" }

    private static let option = "--live"

    /// The folder that a program's arguments name; nil for other arguments.
    public init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == Self.option else { return nil }
        path = arguments[1]
    }

    public var arguments: [String] { [Self.option, path] }
}

/// Why the process ends by itself.
public struct LiveComplaint: Hashable, Sendable, Codable {
    /// A sentence.
    public var message: String
    /// The path and the effect of the plugin that is to blame; nil if none is.
    public var library: String?
    public var effectID: String?

    public init(_ message: String, library: String? = nil, effectID: String? = nil) {
        (self.message, self.library, self.effectID) = (message, library, effectID)
    }
}
