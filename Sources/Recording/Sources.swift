/// A source of pictures, as `--video` names it.
public enum VideoSource: Hashable, Sendable, Codable {
    /// A moving test picture.
    case test
    /// The X11 screen of `$DISPLAY`, or a part of it.
    case screen(Region?)
    /// An X11 window, by its id.
    case window(UInt64)
    /// A V4L2 device, by its path; nil: the first one that answers.
    case camera(String?)
    /// NUT from a file or a named pipe.
    case pipe(String)

    /// How sources are written, for messages.
    public static let forms =
        "test, screen, screen:WIDTHxHEIGHT+X+Y, window:ID, camera, camera:DEVICE, pipe:PATH or none"

    /// Reads a source.
    /// - Returns: nil for what is none: see ``forms``.
    public init?(_ text: String) {
        let (kind, rest) = SourceText.parts(text)
        switch (kind, rest) {
        case ("test", nil): self = .test
        case ("screen", nil): self = .screen(nil)
        case ("screen", let text?):
            guard let region = Region(text) else { return nil }
            self = .screen(region)
        case ("window", let text?):
            let id = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
            guard let id, id > 0 else { return nil }
            self = .window(id)
        case ("camera", nil): self = .camera(nil)
        case ("camera", let device?): self = .camera(device)
        case ("pipe", let path?): self = .pipe(path)
        default: return nil
        }
    }

    /// Whether both may be one device or pipe, which has one reader at a time.
    public func excludes(_ other: VideoSource) -> Bool {
        switch (self, other) {
        case (.camera(let one), .camera(let two)): one == nil || two == nil || one == two
        case (.pipe(let one), .pipe(let two)): one == two
        default: false
        }
    }

    /// A part of a screen, in pixels from its upper left corner.
    public struct Region: Hashable, Sendable, Codable {
        public var x: Int
        public var y: Int
        public var width: Int
        public var height: Int

        /// Reads `WIDTHxHEIGHT+X+Y`.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: "+", omittingEmptySubsequences: false)
            guard parts.count == 3, let size = SourceText.size(parts[0]), let x = SourceText.number(parts[1]),
                let y = SourceText.number(parts[2])
            else { return nil }
            (self.x, self.y, width, height) = (x, y, size.width, size.height)
        }
    }
}

/// A source of sound, as `--audio` names it.
public enum AudioSource: Hashable, Sendable, Codable {
    /// A tone with a beep each second.
    case test
    /// A PulseAudio source, by its name; nil: the default one, or ALSA's without PulseAudio.
    case pulse(String?)
    /// An ALSA device, by its name.
    case alsa(String)
    /// NUT from a file or a named pipe.
    case pipe(String)

    public static let forms = "test, default, pulse:SOURCE, alsa:DEVICE, pipe:PATH or none"

    /// Reads a source.
    /// - Returns: nil for what is none: see ``forms``.
    public init?(_ text: String) {
        let (kind, rest) = SourceText.parts(text)
        switch (kind, rest) {
        case ("test", nil): self = .test
        case ("default", nil), ("pulse", nil): self = .pulse(nil)
        case ("pulse", let name?): self = .pulse(name)
        case ("alsa", let name?): self = .alsa(name)
        case ("pipe", let path?): self = .pipe(path)
        default: return nil
        }
    }
}

/// The parts of a source's name.
public enum SourceText {
    /// `kind:rest`; an empty rest is none, and an empty kind is.
    static func parts(_ text: String) -> (kind: String, rest: String?) {
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        let rest = text[text.index(after: colon)...]
        return rest.isEmpty ? ("", nil) : (String(text[..<colon]), String(rest))
    }

    /// Reads `WIDTHxHEIGHT`, 16 … 16384 pixels each.
    public static func size(_ text: some StringProtocol) -> (width: Int, height: Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = number(parts[0]), let height = number(parts[1]),
            (16...16_384).contains(width), (16...16_384).contains(height)
        else { return nil }
        return (width, height)
    }

    /// Reads digits.
    static func number(_ text: some StringProtocol) -> Int? {
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
