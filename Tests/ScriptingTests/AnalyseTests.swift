import Draft
import TestSupport
import Testing
import Values

@testable import Scripting

/// `cutroom.analyse`: what is asked for, what comes back, and what is refused at its line.
@Suite struct AnalyseTests {
    private static let intro = "local cutroom = require 'cutroom'; local draft = cutroom.draft 'a.mp4'\n"

    @discardableResult
    private static func asked(_ text: String) throws -> (analysis: Analysis, grid: AnalysisGrid, lines: [String]) {
        let environment = TestEnvironment()
        try run("\(intro)\(text)\nreturn draft", environment: environment)
        let asked = try #require(environment.analysed.last)
        return (asked.analysis, asked.grid, environment.lines)
    }

    @Test func `the defaults are the file's frames at a longer side of 640`() throws {
        let (analysis, grid, _) = try Self.asked("cutroom.analyse('b.mp4', 'org.test.meter')")
        #expect(analysis.effect == PluginEffect(effectID: "org.test.meter"))
        #expect(
            grid
                == AnalysisGrid(
                    start: .zero, frameRate: Rational(30), frameCount: 300, size: .init(width: 640, height: 360)))
        // Never larger than the file.
        let small = try Self.asked("cutroom.analyse('emoji.png', 'org.test.meter')").grid
        #expect(
            small == AnalysisGrid(start: .zero, frameRate: .one, frameCount: 1, size: .init(width: 160, height: 160)))
    }

    @Test func `options choose the frames, parameters are the analyser's`() throws {
        let (analysis, grid, _) = try Self.asked(
            "cutroom.analyse('c.mp4', 'org.test.meter', { range = { 5, 9 }, fps = 10, max = 320, scale = 2, model = 'a.mp4' })"
        )
        // It is cut off at the media's end.
        #expect(grid.start == Time(seconds: 5) && grid.frameCount == 10 && grid.frameRate == Rational(10))
        #expect(grid.size == Canvas.Size(width: 180, height: 320))
        #expect(analysis.effect.parameters["scale"] == .numbers(.constant(2)))
        let model = try #require(analysis.effect.files.first?.path)
        #expect(model.hasPrefix("/") && model.hasSuffix("/a.mp4"))
        let other = try Self.asked(
            "cutroom.analyse('c.mp4', 'org.test.meter', { size = { 64, 48 }, params = { range = 0.5 }, fps = '30000/1001' })"
        )
        #expect(other.grid.size == Canvas.Size(width: 64, height: 48) && other.grid.frameRate == Rational(30000, 1001))
        #expect(other.analysis.effect.parameters == ["range": .numbers(.constant(0.5))] && other.analysis.range == nil)
    }

    @Test func `a track is a plain table with times of the source`() throws {
        let lines = try Self.asked(
            """
            local track = cutroom.analyse('b.mp4', 'org.test.meter', { range = { 2, 0.5 }, fps = 4, size = { 64, 48 } })
            print(track.width, track.height, track.fps, track.start, track.duration, #track.frames)
            for _, frame in ipairs(track.frames) do print(frame.time, frame.light[1], #frame.none) end
            track.frames[1].light[1] = 7  -- the script's own
            print(track.frames[1].light[1])
            """
        ).lines
        #expect(lines == ["64\t48\t4\t2\t0.5\t2", "2\t0\t0", "2.25\t1\t0", "7"])
    }

    @Test(arguments: [
        ("cutroom.analyse()", "analyse wants a file's path, but was given nothing"),
        ("cutroom.analyse('a.mp4')", "analyse wants an analyser's id, but was given nothing"),
        ("cutroom.analyse('gone.mp4', 'org.test.meter')", "there is no file ‘gone.mp4’"),
        ("cutroom.analyse('music.m4a', 'org.test.meter')", "the file has no picture"),
        (
            "cutroom.analyse('a.mp4', 'org.test.metre')",
            "there is no analyser ‘org.test.metre’; did you mean ‘org.test.meter’?"
        ),
        ("cutroom.analyse('a.mp4', 'org.cutroom.blur')", "‘org.cutroom.blur’ is a filter, but an analyser is needed"),
        (
            "cutroom.analyse('a.mp4', 'org.test.listener')",
            "it listens to sound, and this release of Cutroom runs analysers of pictures only"
        ),
        ("cutroom.analyse('a.mp4', 'org.test.meter', { scale = 11 })", "‘scale’ is 11, but must lie between 0 and 10"),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { scales = 1 })",
            "has no parameter ‘scales’; did you mean ‘scale’?"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { scale = function(t) return t end })",
            "‘scale’ is a function of time; an analysis takes values and keyframes"
        ),
        ("cutroom.analyse('a.mp4', 'org.test.meter', { model = 'gone.bin' })", "there is no file ‘gone.bin’"),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { range = { 9, 1 } })",
            "the range starts at 9 s, but the file is only 8 s long"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { range = 3 })",
            "‘range’ is 3, but must be { start, duration } in seconds"
        ),
        (
            "cutroom.analyse('photo.png', 'org.test.meter', { fps = 3 })",
            "the file is a still image, which has no ‘range’ and no ‘fps’"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { fps = 500 })",
            "‘fps’ is 500, but must lie between 1 and 240 frames per second"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { size = { 15, 20 } })",
            "the size is 15×20, but each side must be even and lie between 16 and 8192 pixels"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { size = { 16, 20 }, max = 90 })",
            "‘size’ and ‘max’ exclude each other"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.test.meter', { max = 9 })",
            "‘max’ is 9, but must lie between 16 and 8192 pixels"
        ),
        (
            "cutroom.analyse('film.mp4', 'org.test.meter')",
            "the analysis of ‘film.mp4’ (org.test.meter): the plugin crashed at frame 7"
        ),
        (
            "draft:add_effect('org.test.meter', {})",
            "‘org.test.meter’ is an analyser, but a filter or an audio filter is needed"
        ),
        ("cutroom.analise('a.mp4')", "cutroom has no function ‘analise’; did you mean ‘analyse’?"),
    ])
    func `a mistake is told at its line`(line: String, sentence: String) throws {
        let error = try #require(failure("\(Self.intro)\(line)\nreturn draft"))
        #expect(error.description.hasPrefix("edit.lua:2: ") && error.description.contains(sentence), "\(error)")
        if line.contains("film") { #expect(error.code == .plugin) }
    }

    @Test func `a script may catch a failure`() throws {
        try run("\(Self.intro)assert(not pcall(cutroom.analyse, 'film.mp4', 'org.test.meter'))\nreturn draft")
    }

    @Test func `too many frames are refused before any work`() throws {
        let info = try #require(TestEnvironment.files["film.mp4"])
        var long = info
        long.video?.duration = Time(value: 7200, timeBase: 1, 1)
        let analysis = Analysis(path: "/film.mp4", effect: PluginEffect(effectID: "x"), frameRate: Rational(60))
        let problem = #expect(throws: Problem.self) { try AnalysisGrid(analysis, of: long, object: "it") }
        #expect(
            problem?.message
                == "the range has 432000 frames, but at most 100000 are analysed at once; give a shorter ‘range’ or a lower ‘fps’"
        )
    }
}
