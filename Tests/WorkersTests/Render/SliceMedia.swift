import Draft
import Foundation
import Media
import TestSupport

@testable import PluginHosting
@testable import Workers

/// The files and plugins of ``SliceLab``, under the names that ``RandomDraft`` knows; made once for
/// all tests of a run.
enum SliceMedia {
    static let made = Result { try make() }

    /// Removed when the test process ends.
    private static let folder: String = {
        var template = Array("/tmp/cutroom-slices-XXXXXX".utf8CString)
        if mkdtemp(&template) == nil { return "/nonexistent" }
        atexit { try? FileManager.default.removeItem(atPath: SliceMedia.folder) }
        return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    private static let transition = "FIXTURE_KIND=CUTROOM_KIND_TRANSITION"

    /// Fixtures' sources, what their effects are called behind `org.test.`, and how they are built.
    private static let plugins: [(source: String, id: String, defines: [String])] = [
        ("paints", "pure", ["VALUE=235-in->plane[0][y*in->stride[0]+x]/2", "CAPABILITIES=CUTROOM_CAN_IN_PLACE"]),
        ("paints", "pure2", ["VALUE=16+in->plane[0][y*in->stride[0]+x]/2+(call->index&7)"]),
        ("paints", "plain-join", ["VALUE=(in->plane[0][y*in->stride[0]+x]+(x>20)*30)/2", transition]),
        ("around", "around", []), ("around", "join", [transition]),
        ("tally", "warm", ["DEPTH=5", "FORGETS"]), ("tally", "sequential", []), ("tally", "forgets", ["FORGETS"]),
        ("tally", "state-join", [transition]), ("source", "made", []),
        ("source", "flat", ["FIXTURE_FORMATS=CUTROOM_FORMAT_YUV420P8,CUTROOM_FORMAT_RGBA8"]),
        ("source", "grown", ["COUNTS", "SOURCE_STATE=CUTROOM_STATE_SEQUENTIAL"]),
    ]

    private static func make() throws -> (folder: String, catalog: Catalog) {
        let media = TestMedia(inFolder: folder)
        let size = (64, 48)
        let look = try media.identityHald("look.png")
        try FFmpeg.run(["-i", look, "-vf", "negate", folder + "/negative.png"])
        try Data(RandomDraft.subtitles.utf8).write(to: URL(fileURLWithPath: folder + "/talk.srt"))
        let files = [
            look, folder + "/negative.png",
            try media.testPattern("sound.mp4", size: size, seconds: 10, options: ["-g", "30", "-bf", "2"]),
            try media.testPattern("silent.mp4", size: size, rate: "25", seconds: 7.3, tone: nil),
            try media.testPattern(
                "odd.webm", size: (50, 34), rate: "24", seconds: 3.333, options: ["-c:v", "libvpx", "-c:a", "libopus"]),
            try media.testPattern("short.mp4", size: size, seconds: 0.5),
            try media.sticker("photo.png", rgba: "green@0.6", size: (100, 75)),
            try media.image("emoji.png", size: (32, 20)),
            try media.animation("moving.gif", size: (24, 24)),
            folder + "/talk.srt",
        ]
        let libraries = try plugins.map { source, id, defines in
            let name = ["paints", "around"].contains(source) ? "FIXTURE_ID" : source.uppercased() + "_ID"
            let path = "\(folder)/\(id).so"
            try TestPlugin.build(source + ".c", defines + ["\(name)=\"org.test.\(id)\""], to: path)
            return path
        }
        let entries = try files.map { ($0, Catalog.Entry.found(try Probe.probe(path: $0))) }
        return (
            folder,
            Catalog(
                media: Dictionary(uniqueKeysWithValues: entries),
                effects: PluginRegistry(searchPaths: libraries).descriptors().effects)
        )
    }
}
