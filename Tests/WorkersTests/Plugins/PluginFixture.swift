import Foundation
import Messaging
import TestSupport
import Testing

@testable import PluginHosting

/// A test's plugin, built from `Fixtures/*.c` against the public header as a third party would
/// build it.
enum PluginFixture {
    /// What `limits.c` can ask for in vain, and words of the reason.
    static let needs = [
        (["EXTRA=.state=CUTROOM_STATE_WARM_UP,.warm_up=251"], "251 to warm up"),
        (["EXTRA=.reach_after=251"], "251 after it"),
        (["EXTRA=.capabilities=CUTROOM_NEEDS_NETWORK"], "needs the network"),
        (
            [
                "EXTRA=.reach_before=1048577", "FIXTURE_SOUND=1", "FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER",
                "FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR",
            ], "1048577 samples before a block"
        ),
    ]

    /// Builds `source` (without `.c`) into `folder` under `name` and returns the library's path.
    @discardableResult
    static func build(
        _ source: String, _ defines: [String] = [], as name: String? = nil, in folder: TemporaryFolder
    ) throws -> String {
        let path = folder.file((name ?? source) + ".so")
        try TestPlugin.build("\(source).c", defines, to: path)
        return path
    }

    /// A shipped plugin from the build folder; nil where it was not built.
    static func shipped(_ name: String) -> String? {
        let path = "\(Project.products)/libcutroom_plugin_\(name).so"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}

/// Frames in memory of their own, with canaries in the padding of the rows.
final class FrameMemory {
    let frame: PluginFrame
    private let memory: UnsafeMutableBufferPointer<UInt8>
    static let canary: UInt8 = 0xa5

    init(_ format: PluginFormat, _ width: Int, _ height: Int, padding: Int = 13) {
        let planes = format.planes(width: width, height: height)
        let total = planes.reduce(0) { $0 + ($1.rowBytes + padding) * $1.rows }
        memory = .allocate(capacity: total)
        memory.initialize(repeating: Self.canary)
        var next = memory.baseAddress!
        var pointers: [UnsafeMutablePointer<UInt8>] = []
        for plane in planes {
            pointers.append(next)
            next += (plane.rowBytes + padding) * plane.rows
        }
        frame = PluginFrame(
            format: format, width: width, height: height, planes: pointers,
            strides: planes.map { $0.rowBytes + padding })
    }

    deinit { memory.deallocate() }

    private func start(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> {
        frame.planes[plane] + row * frame.strides[plane]
    }

    subscript(plane: Int, byte: Int, row: Int) -> UInt8 {
        get { frame.planes[plane][row * frame.strides[plane] + byte] }
        set { frame.planes[plane][row * frame.strides[plane] + byte] = newValue }
    }

    func fill(_ value: (_ plane: Int, _ byte: Int, _ row: Int) -> UInt8) {
        for (index, plane) in frame.format.planes(width: frame.width, height: frame.height).enumerated() {
            for row in 0..<plane.rows {
                let bytes = start(index, row)
                for byte in 0..<plane.rowBytes { bytes[byte] = value(index, byte, row) }
            }
        }
    }

    /// A sample of a plane of floats; `index` counts them in the row.
    func float(_ index: Int, _ row: Int) -> Float {
        UnsafeRawPointer(frame.planes[0] + row * frame.strides[0]).loadUnaligned(
            fromByteOffset: 4 * index, as: Float.self)
    }

    func setFloat(_ value: Float, _ index: Int, _ row: Int) {
        UnsafeMutableRawPointer(frame.planes[0] + row * frame.strides[0]).storeBytes(
            of: value, toByteOffset: 4 * index, as: Float.self)
    }

    /// The samples, without padding.
    var samples: [UInt8] {
        var all: [UInt8] = []
        for (index, plane) in frame.format.planes(width: frame.width, height: frame.height).enumerated() {
            for row in 0..<plane.rows {
                all += UnsafeBufferPointer(start: start(index, row), count: plane.rowBytes)
            }
        }
        return all
    }

    var paddingIsUntouched: Bool {
        for (index, plane) in frame.format.planes(width: frame.width, height: frame.height).enumerated() {
            let length = frame.strides[index] - plane.rowBytes
            let canaries = [UInt8](repeating: Self.canary, count: length)
            for row in 0..<plane.rows where memcmp(start(index, row) + plane.rowBytes, canaries, length) != 0 {
                return false
            }
        }
        return true
    }
}

extension LoadedEffect {
    func instance(_ format: PluginFormat, _ width: Int, _ height: Int) throws(PluginError) -> EffectInstance {
        try makeInstance(PluginSetup(format: format, width: width, height: height, frameRate: .init(30)))
    }
}
