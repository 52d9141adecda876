import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record` with two pictures at once, as of a screen and a camera.
    @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct SecondPictureTests {
        private let desk: LiveDesk
        private let studio: Studio
        /// Two parts of the screen.
        private static let both = ["--video", "screen:160x120+240+180", "--video", "screen:64x48+288+216"]

        init() throws {
            desk = try LiveDesk()
            studio = try desk.studio()
        }

        /// A clip or a layer of the draft.
        private struct Item {
            let name: String
            /// Seconds.
            var at = 0.0
            var duration: Double?
        }

        /// Reads a time of a document: a number of seconds, or a text such as `3/2s`.
        private static func seconds(_ value: Any?) -> Double? {
            guard let text = value as? String else { return value as? Double }
            let parts = text.dropLast().split(separator: "/").compactMap { Double($0) }
            return parts.first.map { $0 / (parts.count > 1 ? parts[1] : 1) }
        }

        private func draft() throws -> (clips: [String], layers: [Item]) {
            let data = try Data(contentsOf: URL(fileURLWithPath: studio.file("talk.cutroom")))
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            func name(_ item: [String: Any]) -> String {
                ((item["media"] as? String ?? "") as NSString).lastPathComponent
            }
            let layers = (object["effects"] as? [[String: Any]] ?? []).filter { $0["kind"] as? String == "layer" }
            return (
                (object["clips"] as? [[String: Any]] ?? []).map(name),
                layers.map { layer in
                    Item(
                        name: name(layer), at: Self.seconds(layer["at"]) ?? 0,
                        duration: Self.seconds((layer["range"] as? [Any])?.last))
                }
            )
        }

        private func length(_ name: String) throws -> Double {
            try #require(try Movie(studio.file("talk.takes/" + name)).pictureDuration)
        }

        /// Both show a window that flashes.
        @Test func `it is a layer, in sync with the first one`() throws {
            let (id, _) = try desk.flash(width: 480, height: 360)
            let result = try studio.run([
                "record", "talk.cutroom", "--video", "screen", "--video", "window:\(id)", "--fps", "60", "--audio",
                "none",
                "--size", "320x240", "--max-duration", "6",
            ])
            #expect(result.status == 0, "\(result)")
            #expect(abs(try length("0001.mp4") - length("0001.second.mp4")) < 0.001)
            let flashes = try ["0001.mp4", "0001.second.mp4"].map {
                try FlashesAndClicks.flashes(of: studio.file("talk.takes/" + $0))
            }
            let offsets = flashes[1].compactMap { second in
                flashes[0].map { second - $0 }.min { abs($0) < abs($1) }
            }.sorted()
            try #require(offsets.count >= 4)
            // One has 60 frames per second, the other one 30.
            #expect(abs(offsets[offsets.count / 2]) <= 0.02, "\(offsets)")
            let draft = try draft()
            #expect(draft.clips == ["0001.mp4"] && draft.layers.map(\.name) == ["0001.second.mp4"])
            // Only the layer flashes in that corner: the window does not cover it.
            try studio.render("talk.cutroom", to: "talk.mp4")
            let corner = try FFmpeg.run([
                "-i", studio.file("talk.mp4"), "-vf", "crop=40:30:250:185,scale=1:1:flags=area,format=gray", "-f",
                "rawvideo", "-",
            ]).stdout
            #expect(corner.contains { $0 > 200 } && corner.contains { $0 < 40 }, "\(Array(corner))")
            studio.expectClean()
        }

        /// Its layer comes, moves and goes with its take, and pauses are left out of both.
        @Test func `layers move when takes are discarded`() throws {
            let client = try RecordClient(studio, Self.both + ["--audio", "none", "--json", "--wait"])
            try client.wait(for: "ready")
            for take in 1...3 { try client.record(take, pauses: take == 2) }
            func expectDraft(_ takes: [Int]) throws {
                let draft = try draft()
                #expect(draft.clips == takes.map { "000\($0).mp4" })
                #expect(draft.layers.map(\.name).sorted() == takes.sorted().map { "000\($0).second.mp4" })
                var start = 0.0
                for take in takes {
                    let layer = try #require(draft.layers.first { $0.name == "000\(take).second.mp4" })
                    #expect(abs(layer.at - start) < 0.0001, "\(takes): \(layer), not \(start)")
                    let lengths = try (length("000\(take).mp4"), length("000\(take).second.mp4"))
                    #expect(abs(lengths.0 - lengths.1) < 0.001, "\(lengths)")
                    start += lengths.0
                }
            }
            try #require(Command.until { (try? draft().clips.count) == 3 })
            try expectDraft([1, 2, 3])
            client.send(#"{"command":"discard","take":1}"# + "\n")
            try client.wait(for: "discarded 1")
            try expectDraft([2, 3])
            #expect(FileManager.default.fileExists(atPath: studio.file("talk.takes/discarded/0001.second.mp4")))
            client.send(command: "undo")
            try client.wait(for: "restored 1")
            try expectDraft([1, 2, 3])
            // One takes the place of another, and all come back beside a new one.
            try client.record(4, options: #", "replace": 1"#)
            try client.wait(for: "discarded 1", count: 2)
            try #require(Command.until { (try? draft().clips.count) == 3 })
            try expectDraft([4, 2, 3])
            client.send(#"{"command":"discard","take":"all"}"# + "\n")
            try client.wait(for: "discarded 2,3,4")
            try client.record(5)
            client.send(command: "undo")
            try client.wait(for: "restored 2,3,4")
            try expectDraft([4, 2, 3, 5])
            client.send(#"{"command":"discard","take":2}"# + "\n")
            try client.wait(for: "discarded 2")
            client.send(command: "close")
            let result = client.command.wait(timeout: 30)
            client.endInput()
            #expect(result.status == 0 && client.events.last == "closed 3,4,5", "\(result)")
            try expectDraft([4, 3, 5])
            let files = try FileManager.default.contentsOfDirectory(atPath: studio.file("talk.takes"))
            let expected = [3, 4, 5].flatMap { ["000\($0).mp4", "000\($0).second.mp4"] }
            #expect(files.filter { !$0.hasSuffix("lock") && $0 != "journal.jsonl" }.sorted() == expected)
            #expect(result.text.contains(#""second":"\#(studio.file("talk.takes/0003.second.mp4"))""#), "\(result)")
            studio.expectClean()
        }

        @Test func `a take continues when its second picture is lost`() throws {
            let (id, window) = try desk.flash()
            let client = try RecordClient(
                studio, ["--video", "screen", "--video", "window:\(id)", "--audio", "none", "--json"])
            try client.wait(for: "started 1")
            usleep(1_000_000)
            window.send(SIGKILL)
            let text = "The second picture ‘window:\(id)’ is not recorded any more: it was closed."
            try #require(Command.until { client.command.stdoutSoFar.contains(text) }, "\(client.events)")
            usleep(1_000_000)
            client.send(command: "close")
            let result = client.command.wait(timeout: 30)
            client.endInput()
            #expect(result.status == 0 && client.events.last == "closed 1", "\(result)")
            let (first, second) = try (length("0001.mp4"), length("0001.second.mp4"))
            #expect(second > 0.8 && second < first - 0.8, "\(first), \(second)")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        @Test func `both pictures of a killed take are recovered`() throws {
            let client = try RecordClient(studio, Self.both + ["--audio", "none", "--json"])
            try client.wait(for: "started 1")
            usleep(2_200_000)
            let processes = Processes.all(mentioning: studio.file("talk.takes"))
            client.command.send(SIGKILL)
            for process in processes { kill(process, SIGKILL) }
            _ = client.command.wait(timeout: 20)
            client.endInput()
            let recovered = try studio.run(["record", "talk.cutroom", "--recover"])
            #expect(recovered.status == 0 && recovered.stderr.contains("is recovered"), "\(recovered)")
            let (first, second) = try (length("0001.mp4"), length("0001.second.mp4"))
            #expect(first >= 1.2 && second >= 1.2, "\(first), \(second)")
            let draft = try draft()
            #expect(draft.clips == ["0001.mp4"] && draft.layers.map(\.name) == ["0001.second.mp4"])
            // The layer ends with its clip at the latest.
            #expect(min(second, draft.layers.first?.duration ?? second) <= first + 0.001, "\(draft)")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }
    }
}
