import Draft

/// Reads subtitle files. A worker does it, and the host gets the cues: such a file comes from
/// outside and may be hostile, and the host opens no files of a draft.
public enum SubtitleReader {
    /// Bytes of a file without fonts, so that what it says fits a message.
    static let largestText = 16 << 20
    /// Bytes of a file with its fonts.
    static let largestFile = 64 << 20

    /// Reads all of the file: what is wrong with it is said before anything is rendered.
    /// - Returns: nil for a file that is not named as subtitles are.
    static func probe(path: String, pulse: @escaping Pulse) throws(MediaError) -> MediaInfo? {
        guard let format = SubtitleFile.format(of: path) else { return nil }
        let (text, file) = try read(path: path, pulse: pulse)
        do throws(SubtitleFile.Defect) {
            let subtitles = try SubtitleFile(text, format: format)
            let size =
                subtitles.hasFonts == true ? text.utf8.count - SubtitleFile.fonts(of: text).utf8.count : text.utf8.count
            guard size <= largestText else {
                throw SubtitleFile.Defect("it has \(size >> 20) MB of text, but may have \(largestText >> 20)")
            }
            var info = MediaInfo(kind: .subtitles, format: format.rawValue, identity: try identity(file))
            info.subtitles = subtitles
            return info
        } catch {
            throw MediaError(.notMedia, "read", path: path, reason: error.description)
        }
    }

    private static func identity(_ file: InputFile) throws(SubtitleFile.Defect) -> FileIdentity {
        do throws(MediaError) {
            return try file.identity()
        } catch {
            throw SubtitleFile.Defect(error.reason)
        }
    }

    /// The lines of the fonts that an ASS file brings.
    public static func fonts(path: String, pulse: @escaping Pulse = { _ in }) throws(MediaError) -> String {
        SubtitleFile.fonts(of: try read(path: path, pulse: pulse).text)
    }

    private static func read(
        path: String, pulse: @escaping Pulse
    ) throws(MediaError) -> (text: String, file: InputFile) {
        let interrupter = Interrupter(pulse)
        try interrupter.check("read", path: path)
        let file = try InputFile(path: path, interrupter: interrupter)
        guard file.size <= largestFile else {
            throw MediaError(
                .notMedia, "read", path: path,
                reason: "it has \(file.size >> 20) MB; a subtitle file may have \(largestFile >> 20)")
        }
        let bytes = try file.bytes(at: 0, count: Int(file.size))
        do throws(SubtitleFile.Defect) {
            return (try SubtitleText.decode(bytes, name: path), file)
        } catch {
            throw MediaError(.notMedia, "read", path: path, reason: error.description)
        }
    }
}
