import Glibc

/// What went wrong with a media file: the one error type that leaves this room.
public struct MediaError: Error, Sendable {
    /// Why, as callers decide on it. New codes may come.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        public static let notFound = Code(rawValue: "not_found")
        public static let isDirectory = Code(rawValue: "is_directory")
        /// A pipe, socket or device.
        public static let notRegularFile = Code(rawValue: "not_regular_file")
        public static let permissionDenied = Code(rawValue: "permission_denied")
        public static let empty = Code(rawValue: "empty")
        /// The content is not video, sound, picture or look-up table.
        public static let notMedia = Code(rawValue: "not_media")
        /// The file was cut off before the part that is needed to read it.
        public static let truncated = Code(rawValue: "truncated")
        public static let noVideo = Code(rawValue: "no_video")
        public static let noAudio = Code(rawValue: "no_audio")
        /// A codec, format or value that this build cannot handle.
        public static let unsupported = Code(rawValue: "unsupported")
        public static let read = Code(rawValue: "read")
        public static let decode = Code(rawValue: "decode")
        public static let convert = Code(rawValue: "convert")
        public static let encode = Code(rawValue: "encode")
        public static let mux = Code(rawValue: "mux")
        public static let diskFull = Code(rawValue: "disk_full")
        /// A rendered file is not what its plan says.
        public static let wrongContent = Code(rawValue: "wrong_content")
        /// A probe has read as much, or as long, as it may.
        public static let overBudget = Code(rawValue: "over_budget")
        /// The process has as many files open as it may have.
        public static let openFiles = Code(rawValue: "open_files")
        public static let outOfMemory = Code(rawValue: "out_of_memory")
        /// The caller's `pulse` threw; `cause` is what it threw.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    public var code: Code
    /// What was being done, as a verb with its object: `open`, `decode the picture`.
    public var operation: String
    /// The file concerned; nil where none is.
    public var path: String?
    /// What is wrong and what to do, without the file's name: the second half of ``description``.
    public var reason: String
    /// libav's error number; nil where the finding is our own.
    public var libavCode: Int32?
    /// libav's words for `libavCode`.
    public var libavText: String?
    /// The last lines that libav logged on this thread before the error, oldest first.
    public var log: [String]
    public var cause: (any Error)?

    init(
        _ code: Code, _ operation: String, path: String?, reason: String, libav: Int32? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.operation = operation
        self.path = path
        self.reason = reason
        self.libavCode = libav
        self.libavText = libav.map(LibavText.describe)
        self.log = code == .cancelled ? [] : LibavLog.takeRecent()
        self.cause = cause
    }
}

extension MediaError: CustomStringConvertible {
    /// One sentence for people, with the file.
    public var description: String {
        path.map { "cannot \(operation) ‘\($0)’: \(reason)" } ?? "cannot \(operation): \(reason)"
    }

    /// The machine, its disk or a permission stood in the way of something that was to be written,
    /// or memory was short: no fault of what is read.
    public var isOfTheMachine: Bool {
        switch code {
        case .diskFull, .outOfMemory, .openFiles: true
        // What an output's folder says; of a source the same codes are findings about what the user
        // named.
        case .notFound, .permissionDenied, .isDirectory: operation == "write"
        case .mux: libavCode.map { [EIO, EROFS, ENODEV, ENXIO, ESTALE].contains(-$0) } ?? false
        default: false
        }
    }

    /// Everything that is known, for `--verbose`: one finding a line, the sentence first.
    public var chain: [String] {
        var lines = [description]
        if let libavText, let libavCode { lines.append("libav: \(libavText) (\(libavCode))") }
        lines += log.map { "libav log: \($0)" }
        if let cause { lines.append("cause: \(cause)") }
        return lines
    }
}
