import Composition
import Draft
import Values

/// Lets an analyser look at pictures of a file; the reply is an ``AnalysisTrack``.
public struct AnalysisJob: WorkerJob {
    public typealias Reply = AnalysisTrack
    public static let kind = "analysis"

    public var file: MediaFile
    public var effect: PluginEffect
    public var plugin: PluginUse
    /// The files that the parameters name, in the order of ``PluginEffect/files``.
    public var files: [MediaFile]
    public var grid: AnalysisGrid

    /// - Parameter catalog: has what is known of the files and the plugin.
    /// - Returns: nil where it lacks one of them.
    public init?(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) {
        guard let info = catalog.info(analysis.path), let descriptor = catalog.effect(analysis.effect.effectID) else {
            return nil
        }
        file = MediaFile(path: analysis.path, info: info)
        effect = analysis.effect
        plugin = PluginUse(descriptor)
        files = []
        for file in analysis.effect.files {
            guard case .found(let info)? = catalog[file] else { return nil }
            files.append(MediaFile(path: file.path, info: info))
        }
        self.grid = grid
    }

    /// SHA-256 over everything that decides the reply.
    /// - Parameter libraries: the versions of the media libraries that do the work.
    /// - Throws: where it cannot be told apart from others: see ``contentKey(of:_:_:)``.
    public func key(libraries: String) throws(Problems) -> String {
        var job = self
        job.file = file.withoutPath
        // What a plugin makes of a file's name is its own affair.
        job.files = files.map(\.withoutPath)
        job.plugin.path = ""
        return try contentKey(of: job, "analysis", libraries)
    }
}

extension AnalysisJob {
    public mutating func mapPaths(_ change: PathChange) {
        file.path = change(file.path, .reads(file.info))
        effect.mapFiles { change($0, .hands(nil)) }
        for index in files.indices { files[index].path = change(files[index].path, .hands(files[index].info)) }
        plugin.mapPath(change)
    }

    public var libraries: Set<String> { [plugin.path] }
}
