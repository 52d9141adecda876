import CKernels
import Composition
import Draft
import Foundation
import Media
import TestSupport
import Testing

@testable import PluginHosting
@testable import Workers

/// Renders frames of documents over small files of its own, for tests that look at every sample.
final class CompositionLab {
    let folder: TemporaryFolder
    private var catalog = Catalog()
    private let worker: WorkerContext

    static let size = Canvas.Size(width: 120, height: 80)

    /// - Parameter plugins: gives libraries whose effects may be used, and may make them in the
    ///   folder.
    init(plugins: (TemporaryFolder) throws -> [String] = { _ in [] }) throws {
        folder = try TemporaryFolder()
        worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
        catalog.effects = PluginRegistry(searchPaths: try plugins(folder)).descriptors().effects
    }

    /// Makes a PNG file of pixels in RGBA.
    func image(_ name: String, _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [Int]) throws {
        let raw = Data((0..<width * height).flatMap { pixel($0 % width, $0 / width).map { UInt8($0) } })
        try FFmpeg.run([
            "-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", "\(width)x\(height)", "-i",
            try folder.write(raw, to: name + ".raw"), folder.file(name),
        ])
        try add(name)
    }

    /// Makes a file of another one, or of ffmpeg's sources.
    func file(_ name: String, _ arguments: [String]) throws {
        try FFmpeg.run(arguments + [folder.file(name)])
        try add(name)
    }

    private func add(_ name: String) throws {
        catalog.media[folder.file(name)] = .found(try Probe.probe(path: folder.file(name)))
    }

    /// Renders a frame of a draft of two seconds at ten frames a second.
    /// - Parameters:
    ///   - canvas: further fields of the canvas.
    ///   - clips: of the main track; none: the background.
    func render(
        _ effects: String, canvas: String = "", clips: String? = nil, frame: Int = 0, size: Canvas.Size = size
    ) throws -> Samples {
        let clips = clips.map { "\"clips\": [\($0)]" } ?? "\"duration\": 2"
        let text =
            "{\"cutroom\": 2, \"canvas\": {\"size\": [\(size.width), \(size.height)], \"fps\": 10\(canvas)}, "
            + "\"effects\": [\(effects)], \(clips)}"
        let draft = try Draft(document: Data(text.utf8), file: "a document", folder: folder.path)
        let slice = Slice(try Composition(draft, catalog: catalog), frames: 0..<20)
        let graph = try PictureGraph(slice, firstFrame: 0, worker.supplies)
        defer { graph.close() }
        return Samples(try graph.frame(frame))
    }
}

/// The samples of a canvas picture.
struct Samples: Equatable {
    let width: Int
    let height: Int
    let isTenBits: Bool
    private var planes: [[Int]] = []

    init(_ picture: Picture) {
        (width, height, isTenBits) = (picture.width, picture.height, picture.isTenBits)
        for plane in 0..<3 {
            let (columns, rows) = plane == 0 ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
            planes.append(
                (0..<rows * columns).map { index in
                    let row = UnsafeRawPointer(picture.plane(plane) + index / columns * picture.stride(plane))
                    return picture.isTenBits
                        ? Int(row.load(fromByteOffset: 2 * (index % columns), as: UInt16.self))
                        : Int(row.load(fromByteOffset: index % columns, as: UInt8.self))
                })
        }
    }

    func columns(_ plane: Int) -> Int { plane == 0 ? width : (width + 1) / 2 }
    func rows(_ plane: Int) -> Int { plane == 0 ? height : (height + 1) / 2 }
    subscript(plane: Int, x: Int, y: Int) -> Int { planes[plane][y * columns(plane) + x] }

    /// The lowest and the highest code of each plane.
    var ranges: [ClosedRange<Int>] { planes.map { ($0.min() ?? 0)...($0.max() ?? 0) } }

    /// The largest difference from another picture of the same kind in a plane.
    func distance(to other: Samples, _ plane: Int) -> Int {
        zip(planes[plane], other.planes[plane]).map { abs($0 - $1) }.max() ?? 0
    }

    /// Where the middle of what differs from `ground` by more than rounding lies, in luma samples:
    /// chroma lies beside the left column of its block, between the rows.
    func centre(_ plane: Int, from ground: Samples) -> (x: Double, y: Double) {
        let (step, offset) = plane == 0 ? (1.0, 0.0) : (2, 0.5)
        var (sum, across, down) = (0.0, 0.0, 0.0)
        for y in 0..<rows(plane) {
            for x in 0..<columns(plane) {
                let difference = self[plane, x, y] - ground[plane, x, y]
                let share = abs(difference) > (isTenBits ? 8 : 2) ? Double(difference) : 0
                sum += share
                across += share * step * Double(x)
                down += share * (step * Double(y) + offset)
            }
        }
        return (across / sum, down / sum)
    }
}
