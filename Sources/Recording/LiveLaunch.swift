import Files

/// How the process is started that puts effects on live pictures.
public struct LiveLaunch: Hashable, Sendable, Codable {
    /// `cutroom-worker`.
    public var program: String
    /// A folder of the process's own, with the plan in it.
    public var folder: String
    /// The size of the pictures in pixels, even.
    public var width: Int
    public var height: Int

    public init(program: String, folder: String, width: Int, height: Int) {
        (self.program, self.folder, self.width, self.height) = (program, folder, width, height)
    }

    /// The effects, as JSON of `LivePlan`.
    public var plan: String { folder + "/plan.json" }
    /// Where the process notes which plugin it is calling.
    public var breadcrumb: String { folder + "/breadcrumb" }
    /// Where the process writes why it ends, as JSON of ``LiveComplaint``.
    public var complaint: String { folder + "/complaint.json" }

    private static let option = "--live"

    /// The launch that a program's arguments describe; nil for others.
    public init?(arguments: [String]) {
        guard arguments.count == 4, arguments[0] == Self.option, let width = Int(arguments[2]),
            let height = Int(arguments[3])
        else { return nil }
        self.init(program: "", folder: arguments[1], width: width, height: height)
    }

    public var arguments: [String] { [Self.option, folder, "\(width)", "\(height)"] }
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

/// What comes before each picture on the way to that process and back, in the machine's order.
public struct LiveHeader: Hashable, Sendable {
    /// Counts the pictures.
    public var number: Int64
    /// When it was captured: nanoseconds on the monotonic clock.
    public var time: Int64

    public init(number: Int64, time: Int64) { (self.number, self.time) = (number, time) }

    /// - Returns: nil if the writer has ended.
    public static func read(from descriptor: Int32) -> LiveHeader? {
        var header = LiveHeader(number: 0, time: 0)
        return withUnsafeMutableBytes(of: &header) { readAll(into: $0, from: descriptor) } ? header : nil
    }

    /// - Returns: false if the reader is gone.
    public func write(to descriptor: Int32) -> Bool {
        withUnsafeBytes(of: self) { writeAll($0, to: descriptor) }
    }
}
