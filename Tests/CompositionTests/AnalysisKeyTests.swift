import Composition
import Draft
import Jobs
import TestSupport
import Testing
import Values

/// A result of an analyser is found by a key that contains everything that decides it.
@Suite struct AnalysisKeyTests {
    private static let grid = AnalysisGrid(
        start: .zero, frameRate: Rational(30), frameCount: 60, size: Canvas.Size(width: 64, height: 48))

    private func key(
        _ effect: PluginEffect = PluginEffect(effectID: "org.test.pure"), grid: AnalysisGrid = grid,
        path: String = "/m/sound.mp4", libraries: String = "libav 1", _ change: (inout Catalog) -> Void = { _ in }
    ) throws -> String {
        var catalog = RandomDraft.catalog
        catalog[DraftFile("/m/model", .data)] = .found(
            MediaInfo(kind: .data, format: "", identity: FileIdentity(size: 1, modified: 2, digest: "3")))
        change(&catalog)
        let job = try #require(AnalysisJob(Analysis(path: path, effect: effect), grid, catalog))
        return try job.key(libraries: libraries)
    }

    @Test func `equal questions have equal keys, wherever the files lie`() throws {
        let here = try key()
        let again = try key()
        let moved = try key(path: "/elsewhere/sound.mp4") {
            $0.media["/elsewhere/sound.mp4"] = $0.media["/m/sound.mp4"]
        }
        let other = try key { catalog in
            for index in catalog.effects.indices { catalog.effects[index].path = "/other.so" }
        }
        #expect(here.count == 64 && [again, moved, other] == [here, here, here])
    }

    @Test func `everything that decides the numbers is in the key`() throws {
        func grid(_ change: (inout AnalysisGrid) -> Void) -> AnalysisGrid {
            var grid = Self.grid
            change(&grid)
            return grid
        }
        let model = PluginEffect(effectID: "org.test.pure", parameters: ["model": .path("/m/model")])
        let keys = [
            try key(), try key(grid: grid { $0.start = Time(flicks: 1) }),
            try key(grid: grid { $0.frameRate = Rational(25) }),
            try key(grid: grid { $0.frameCount = 61 }), try key(grid: grid { $0.size.width = 66 }),
            try key(grid: grid { $0.size.height = 50 }), try key(libraries: "libav 2"),
            try key(PluginEffect(effectID: "org.test.around")),
            try key(PluginEffect(effectID: "org.test.pure", parameters: ["amount": .numbers(.constant(0.25))])),
            try key { catalog in for index in catalog.effects.indices { catalog.effects[index].digest += "1" } },
            try key { catalog in
                guard case .found(var info)? = catalog.media["/m/sound.mp4"] else { return }
                info.identity.modified += 1
                catalog.media["/m/sound.mp4"] = .found(info)
            },
            try key(model),
            try key(model) { catalog in
                catalog[DraftFile("/m/model", .data)] = .found(
                    MediaInfo(kind: .data, format: "", identity: FileIdentity(size: 1, modified: 2, digest: "4")))
            },
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func `what is not known is not analysed`() {
        let filter = PluginEffect(effectID: "org.test.gone")
        #expect(AnalysisJob(Analysis(path: "/m/sound.mp4", effect: filter), Self.grid, RandomDraft.catalog) == nil)
        let pure = PluginEffect(effectID: "org.test.pure")
        #expect(AnalysisJob(Analysis(path: "/m/gone.mp4", effect: pure), Self.grid, RandomDraft.catalog) == nil)
    }
}
