import Draft

/// What the structure of a container tells without its content: its parts, and whether something is
/// missing.
struct FileStructure {
    /// The parts of a file that each can be read alone; none for formats without such parts.
    var links: [Range<Int64>] = []
    /// Where its data do not follow each other.
    var breaks: DataBreaks?
    /// The file ends before its content does.
    var isCutOff = false
    /// The streams whose end is missing, by libav's numbers; nil where the format does not tell
    /// streams apart.
    var unended: Set<Int>?
    /// The byte at which bytes begin that do not belong to the file; nil: there are none.
    var tail: Int64?

    var isDamaged: Bool { isCutOff || breaks != nil }

    /// - Parameter format: libavformat's name.
    init(_ file: InputFile, _ format: String) throws(MediaError) {
        if format == "ogg" {
            let chain = try OggLinks(in: file)
            (links, breaks, isCutOff) = (chain.links, chain.breaks, chain.lacksEnd)
            (unended, tail) = (chain.unended, chain.tail)
        } else if format.hasPrefix("matroska") {
            guard let chain = try ClusterChain(in: file) else { return }
            (breaks, isCutOff, tail) = (chain.breaks, chain.isCutOff, chain.tail)
        } else if format == "flv" {
            isCutOff = try LastChunk.isCutOffInFLV(file)
        } else if format == "wav" {
            isCutOff = try LastChunk.isCutOffInWAV(file)
        } else if let chain = try FrameChain(in: file, format: format) {
            (links, breaks) = (chain.links, chain.breaks)
        }
    }
}
