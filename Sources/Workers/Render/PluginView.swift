import Composition
import PluginHosting
import Media

/// Canvas pictures as a plugin sees them: each converted once for as long as calls go on seeing it,
/// in memory that is used again.
final class PluginView {
    private let format: PluginFormat
    /// By the canvas pictures that they were made from.
    private var seen: [(canvas: Picture, picture: PluginPicture)] = []

    init(_ format: PluginFormat) { self.format = format }

    /// The pictures of a call's windows in the plugin's format; good until the next call.
    func show(_ windows: [[Picture?]]) throws -> [[PluginPicture?]] {
        let needed = windows.joined().compactMap(\.self)
        var spare = seen.filter { old in !needed.contains { $0 === old.canvas } }.map(\.picture)
        seen.removeAll { old in !needed.contains { $0 === old.canvas } }
        return try windows.map { try $0.map { try $0.map { try show($0, &spare) } } }
    }

    /// - Parameter spare: unused pictures of the format.
    private func show(_ canvas: Picture, _ spare: inout [PluginPicture]) throws -> PluginPicture {
        if format == .yuv420p8 { return .canvas(canvas) }
        if let known = seen.first(where: { $0.canvas === canvas }) { return known.picture }
        let picture = try spare.popLast() ?? PluginPicture(format, like: canvas)
        picture.read(canvas)
        seen.append((canvas, picture))
        return picture
    }
}
