import Foundation
import TestSupport
import Testing

/// `cutroom edit` with a draft that is recorded, and its page with the Record tab open.
final class RecordBench {
    let studio: Studio
    let browser: Chromium
    private let bench: EditorBench
    private let draft: String

    static let empty = "{\"cutroom\": 2, \"clips\": []}"

    /// The first address of this machine that is not a loopback one.
    static let ownAddress: String? = {
        let names = try? Command.run(["hostname", "-I"]).text.split(separator: " ")
        return names?.first { $0.contains(".") }.map(String.init)
    }()

    init(
        _ studio: Studio? = nil, draft: String = "talk.cutroom", options: [String] = [], counts: Bool = false,
        width: Int = 1280, height: Int = 720, isDark: Bool = false, isPhone: Bool = false,
        host: String? = nil, browserArguments: [String] = []
    ) throws {
        let studio = try studio ?? Studio()
        (self.studio, self.draft) = (studio, draft)
        bench = try EditorBench(
            studio, options, script: draft, width: width, height: height, isDark: isDark, isPhone: isPhone,
            hasDevices: true, host: host, browserArguments: browserArguments)
        browser = bench.browser
        try browser.wait("document.querySelector('#panel-record').children.length > 5")
        try browser.evaluate("document.querySelector('#record-counts').checked = \(counts)")
        try browser.evaluate("document.querySelector('#tab-record').click()")
        try browser.wait("document.querySelector('#panel-record p').textContent != ''")
    }

    func end(sourceLocation: SourceLocation = #_sourceLocation) { bench.end(sourceLocation: sourceLocation) }

    /// Kills the editor, its workers and its recorder at once.
    func kill() {
        let processes = Processes.all(mentioning: studio.file("talk.takes"))
        Glibc.kill(bench.pid, SIGKILL)
        for process in processes { Glibc.kill(process, SIGKILL) }
        bench.wait()
    }

    /// Runs `cutroom record --recover`. What a killed editor leaves is not its business.
    func recover() throws -> Command.Output {
        try studio.start(["record", "talk.cutroom", "--recover"]).wait(timeout: 60)
    }

    func click(_ selector: String) throws {
        try browser.evaluate("document.querySelector('\(selector)').scrollIntoView({ block: 'center' })")
        try browser.click(selector)
    }

    func fill(_ selector: String, _ text: String) throws { try bench.fill(selector, text) }

    func choose(_ id: String, _ value: String) throws {
        try browser.evaluate(
            """
            (() => {
                const select = document.getElementById('\(id)');
                select.value = '\(value)';
                select.dispatchEvent(new Event('change', { bubbles: true }));
            })()
            """)
    }

    // MARK: Takes

    func waitForPhase(_ phase: String) throws {
        do {
            try browser.wait("document.querySelector('.times').dataset.phase == '\(phase)'")
        } catch {
            throw Chromium.Failure(
                description:
                    "\(error) \(try browser.text("document.querySelector('#panel-record').innerText")) \(journal)")
        }
    }

    /// Waits until the tab lists these takes and the draft has their clips.
    func waitForTakes(_ takes: [Int]) throws {
        let list = takes.map(String.init).joined(separator: ",")
        try browser.wait(
            "[...document.querySelectorAll('.takes li')].map(({ dataset }) => dataset.take).join() == '\(list)'")
        try #require(Command.until { clips.count == takes.count }, "\(draftText)")
    }

    /// Starts a take, and waits until some of it has reached the editor.
    /// - Returns: when the page said that it is recording.
    @discardableResult func start() throws -> ContinuousClock.Instant {
        let before = recordedBytes
        try browser.press("R", modifiers: Chromium.shift)
        try waitForPhase("recording")
        let begun = ContinuousClock.now
        try browser.wait("/ 0:[0-9]{2}[.]/.test(document.querySelector('.times').textContent)")
        try #require(Command.until { recordedBytes > before }, "\(journal)")
        return begun
    }

    /// Records a take.
    func take(_ number: Int, seconds: Double, _ meanwhile: () throws -> Void = {}) throws {
        try start()
        usleep(useconds_t(seconds * 1e6))
        try meanwhile()
        try browser.press("R", modifiers: Chromium.shift)
        try browser.wait("document.querySelector('.takes li[data-take=\"\(number)\"]')")
        try #require(Command.until { journal.contains("\"added\",\"take\":\(number)") }, "\(journal)")
    }

    func file(_ take: Int, _ suffix: String = "mp4") -> String {
        studio.file((draft as NSString).deletingPathExtension + ".takes/000\(take).\(suffix)")
    }

    /// The kinds of a take's tracks and how they are encoded: `video vp8`.
    func tracks(of take: Int, _ suffix: String = "mp4") throws -> [String] {
        try Command.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,codec_name", "-of", "csv=p=0",
            file(take, suffix),
        ]).text.split(separator: "\n").map { $0.split(separator: ",").reversed().joined(separator: " ") }.sorted()
    }

    /// Checks that a take is decoded without errors, and that its file states its length.
    /// - Returns: the length in seconds.
    func checkTake(_ take: Int, _ suffix: String = "mp4") throws -> Double {
        let decoded = try Command.run([
            "ffmpeg", "-v", "error", "-i", file(take, suffix), "-vf", "settb=1/90000", "-fps_mode", "passthrough",
            "-enc_time_base", "-1", "-f", "null", "-",
        ])
        #expect(decoded.succeeded && decoded.stderr == "", "take \(take): \(decoded)")
        let length = try #require(try Double(FFmpeg.probe(file(take, suffix), "format=duration")))
        let packets = try Command.run([
            "ffprobe", "-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0",
            file(take, suffix),
        ])
        let ends = packets.text.split(separator: "\n").map { line in
            line.split(separator: ",").compactMap { Double($0) }.reduce(0, +)
        }
        let last = try #require(ends.max())
        // WebM does not state how long its last picture is shown.
        #expect(
            abs(last - length) < (suffix == "webm" ? 0.5 : 0.1), "take \(take) ends at \(last) s and says \(length) s")
        #expect(journal.contains("000\(take).\(suffix)"))
        return length
    }

    /// How far packets of sound are from the end of the one before, at most, in seconds.
    func unsteadiness(of take: Int) throws -> Double {
        let packets = try Command.run([
            "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time,duration_time", "-of",
            "csv=p=0", file(take),
        ]).text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
        let steps = zip(packets, packets.dropFirst()).map { abs($1[0] - $0[0] - $0[1]) }
        return try #require(steps.max())
    }

    private var folder: String { (file(1) as NSString).deletingLastPathComponent }

    /// Parts that are left in the folder.
    var parts: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.contains("part") }
    }

    /// The size of the parts in the folder.
    private var recordedBytes: Int {
        parts.reduce(0) { sum, part in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(part)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    var journal: String {
        (try? String(
            contentsOfFile: studio.file((draft as NSString).deletingPathExtension + ".takes/journal.jsonl"),
            encoding: .utf8)) ?? ""
    }

    var draftText: String { (try? String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8)) ?? "" }

    /// The files of the draft's clips.
    var clips: [String] { draftText.matches(of: /"media": "([^"]*)"/).map { String($0.1) } }

    /// Renders the draft, with the length of its takes.
    func render() throws {
        let output = try studio.start(["render", "talk.cutroom", "-o", "talk.mp4", "--workers", "1"]).wait(timeout: 120)
        #expect(output.status == 0, "\(output)")
        #expect(try (Double(FFmpeg.probe(studio.file("talk.mp4"), "format=duration")) ?? 0) > 0.5)
    }
}
