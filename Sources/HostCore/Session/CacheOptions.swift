import ArgumentParser
import Farm
import Logging

/// The options of commands that cache what they render or learn.
package struct CacheOptions: ParsableArguments {
    package init() {}

    @Flag(help: "Do not use the cache of rendered parts, analyses and facts about media files.")
    package var noCache = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The size of the cache of all renders from now on, e.g. 500M or 2G; the least recently used entries are evicted first. 0 keeps none. Default: $CUTROOM_CACHE_SIZE, else 10G or a tenth of the file system.",
            valueName: "size"))
    var cacheSize: String?

    package var bound: ByteSize { get throws { try SegmentCache.bound(cacheSize) } }

    /// The cache of facts about media files; nil if it is disabled.
    package var memory: MediaMemory? { get throws { try bound.bytes > 0 && !noCache ? MediaMemory() : nil } }

    /// Returns the cache of analysis results.
    package func store(_ log: Logger) throws -> TrackCache { TrackCache(keeps: !noCache, bound: try bound, log: log) }
}
