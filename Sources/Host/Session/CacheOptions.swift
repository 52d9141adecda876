import ArgumentParser
import Logging

/// The options of commands that keep what they make, or what a script has found out, for the next time.
struct CacheOptions: ParsableArguments {
    @Flag(help: "Neither use nor keep rendered parts and what analysers found.")
    var noCache = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What all rendered parts of all renders together, and what analysers found, may take on disk from now on, e.g. 500M or 2G: removes older entries, those not used for longest first. 0 keeps none. Default: $CUTROOM_CACHE_SIZE, else 10G or a tenth of the file system.",
            valueName: "size"))
    var cacheSize: String?

    var bound: ByteSize { get throws { try SegmentCache.bound(cacheSize) } }

    /// Where what analysers find is kept.
    func store(_ log: Logger) throws -> TrackCache { TrackCache(keeps: !noCache, bound: try bound, log: log) }
}
