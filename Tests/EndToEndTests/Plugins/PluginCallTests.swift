import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// What calls carry in real renders, painted by a plugin, and what becomes of what it answers.
    @Suite struct PluginCallTests {
        /// Luma of each frame's row in the middle.
        private static func rows(_ studio: Studio, _ body: String, _ arguments: [String] = []) throws -> [[Int]] {
            try studio.script(body, size: (64, 64))
            let path = try studio.render(
                to: "out\(UUID().uuidString).mp4", with: ["--quality", "0", "--no-cache"] + arguments)
            return try PluginKindTests.rows(of: path)
        }

        /// Grey of 0 … 255 as luma of the limited range.
        private static func luma(_ grey: Double) -> Int { Int((16 + grey * 219 / 255).rounded()) }

        // MARK: Breaks

        private struct Plan: Decodable {
            struct Segment: Decodable { var firstFrame: Int }
            var segments: [Segment]
        }

        /// Where segments of `edit.lua` begin.
        private static func beginnings(_ studio: Studio) throws -> [Int] {
            let plan = try studio.run(["plan", "edit.lua", "--json"])
            return try JSONDecoder().decode(Plan.self, from: plan.stdout).segments.map(\.firstFrame)
        }

        /// What follows, and where it breaks. Frames 50 to 79 are played twice: 80 goes back to 50,
        /// and 110 goes on from 109. The times of the speed effect's frames go 0, 0, 1, 1 …
        private static let orders: [(String, [Int])] = [
            ("draft:add_effect('repeat', { count = 2, range = { 50/30, 30/30 } })", [80]),
            ("draft:add_effect('speed', { factor = 0.5, range = { 0, 2 } })", []),
        ]

        @Test(arguments: orders)
        func `a call that does not go on from the one before says so`(later: String, breaks: [Int]) throws {
            let studio = try Studio()
            try Fixture.plugin(
                "paints", ["VALUE=call->flags & CUTROOM_CALL_DISCONTINUITY ? 235 : 16"], as: "paints", in: studio)
            let rows = try Self.rows(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_effect("test.paints", {})
                \(later)
                """, ["--workers", "1"])
            let found = rows.indices.filter { rows[$0][0] == 235 }
            let beginnings = try Self.beginnings(studio)
            #expect(beginnings.count > 1 && found == Set(beginnings + breaks).sorted(), "\(found) \(beginnings)")
        }

        /// Its own frames are 0, 2, 4 … or come twice; for what it remembers, they go on.
        @Test(arguments: [2, 0.5]) func `a later speed effect is no break for an effect with state`(factor: Double)
            throws
        {
            let studio = try Studio()
            try Fixture.plugin("counter", as: "counter", in: studio)
            let rows = try Self.rows(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, \(factor) } })
                draft:add_effect("test.counter", {})
                draft:add_effect("speed", { factor = \(factor) })
                """)
            let wanted = (1...30).map { Self.luma(Double(4 * $0)) }
            #expect(rows.map { $0[0] } == wanted)
        }

        // MARK: Random numbers

        /// The seed's bits, from left to right.
        @Test func `each frame and each use has another seed, and the first use the one that it has alone`() throws {
            let studio = try Studio()
            try Fixture.plugin("paints", ["VALUE=call->seed >> x & 1 ? 235 : 16"], as: "paints", in: studio)
            let use =
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 1 }, effects = { { 'test.paints', {} } } })\n"
            let alone = try Self.rows(studio, use)
            let both = try Self.rows(studio, use + use)
            try #require(alone.count == 30 && both.count == 60)
            #expect(Set(both).count == 60 && Array(both[..<30]) == alone)
        }

        // MARK: Passing

        @Test func `a filter that passes leaves the picture as it is`() throws {
            let studio = try Studio()
            try Fixture.plugin(
                "paints", ["VALUE=235", "STATUS=call->index % 2 ? CUTROOM_PASS : CUTROOM_OK"], as: "paints", in: studio)
            let rows = try Self.rows(
                studio,
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 1 } })\ndraft:add_effect('test.paints', {})")
            #expect(rows.map { $0[0] } == (0..<30).map { $0 % 2 == 0 ? 235 : 20 + $0 })
        }

        @Test func `a transition that passes shows the outgoing picture`() throws {
            let studio = try Studio()
            try Fixture.plugin(
                "paints",
                [
                    "FIXTURE_KIND=CUTROOM_KIND_TRANSITION", "VALUE=235",
                    "STATUS=call->index % 2 ? CUTROOM_PASS : CUTROOM_OK",
                ], as: "paints", in: studio)
            let rows = try Self.rows(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 1 } })
                draft:add_clip(\(try Footage.ramp.lua), { range = { 3, 1 }, transition = { "test.paints", 0.5 } })
                """)
            try #require(rows.count == 45)
            #expect(rows[15..<30].map { $0[0] } == (0..<15).map { $0 % 2 == 0 ? 235 : 35 + $0 })
        }

        // MARK: Times

        /// `index` on the left, 200 times `progress` on the right.
        @Test func `an overlay's times count from the start of its entry's range`() throws {
            let studio = try Studio()
            try Fixture.plugin(
                "paints",
                [
                    "FIXTURE_KIND=CUTROOM_KIND_SOURCE",
                    "VALUE=x < out->width / 2 ? (double)call->index : call->progress * 200 + 0.5",
                ], as: "paints", in: studio)
            let rows = try Self.rows(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 2 } })
                draft:add_effect("test.paints", { rect = { 0, 0, 64, 64 }, range = { 0.5, 1 } })
                """)
            try #require(rows.count == 60)
            for (frame, row) in rows.enumerated() {
                let own = frame - 15
                let wanted =
                    (0..<30).contains(own)
                    ? [Self.luma(Double(own)), Self.luma((Double(own) / 30 * 200).rounded())]
                    : [20 + frame, 20 + frame]
                #expect(abs(row[16] - wanted[0]) <= 1 && abs(row[48] - wanted[1]) <= 1, "frame \(frame)")
            }
        }

        // MARK: Formats

        /// Lists in the plugin's order: floats come last wherever they stand.
        @Test func `a filter gets the best format that is offered`() throws {
            let studio = try Studio()
            let lists = [["RGBAF32", "RGBA8"], ["RGBA8", "YUV420P8"], ["YUV420P8", "RGBA8"]]
            for (number, (list, wanted)) in zip(lists, ["RGBA8", "RGBA8", "YUV420P8"]).enumerated() {
                let formats = list.map { "CUTROOM_FORMAT_\($0)" }.joined(separator: ",")
                try Fixture.plugin(
                    "paints",
                    [
                        "FIXTURE_ID=\"test.paints\(number)\"", "FIXTURE_FORMATS=\(formats)",
                        "STATUS=out->format == CUTROOM_FORMAT_\(wanted) ? CUTROOM_OK : CUTROOM_ERROR_FATAL",
                    ], as: "paints\(number)", in: studio)
            }
            let rows = try Self.rows(
                studio,
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.1 } })\n"
                    + lists.indices.map { "draft:add_effect('test.paints\($0)', {})\n" }.joined())
            #expect(rows.count == 3)
        }

        /// Codes of every kind in blocks of 2×2, most of them no colour in RGB.
        private static var codes: String {
            get throws {
                try Footage.made(
                    "codes.mkv",
                    [
                        "-f", "lavfi", "-i",
                        "color=black:size=64x64:rate=30:duration=0.1,format=yuv420p,"
                            + "geq=lum='16+mod(floor(X/2)*37+floor(Y/2)*91,220)+mod(X+Y,2)':cb='16+mod(X*53+Y*29,225)':cr='16+mod(X*71+Y*101,225)'",
                        "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709",
                        "-color_primaries", "bt709", "-color_trc", "bt709",
                    ])
            }
        }

        /// Whether a code lies inside the RGB cube (ITU-R BT.709-6, items 3.2 to 3.5).
        private static func isColour(_ shot: Shot, _ x: Int, _ y: Int) -> Bool {
            let (e, b, r) = (
                (shot.sample(0, x, y) - 16) / 219, (shot.sample(1, x / 2, y / 2) - 128) / 224,
                (shot.sample(2, x / 2, y / 2) - 128) / 224
            )
            return [e + 1.5748 * r, e - 0.1873 * b - 0.4681 * r, e + 1.8556 * b].allSatisfy { (0...1).contains($0) }
        }

        /// Five filters that copy, one on the other's picture. The one of floats copies the left
        /// half.
        @Test func `a chain of filters in RGB does not wear a picture out`() throws {
            let studio = try Studio()
            try Fixture.plugin("crash", as: "crash", in: studio)
            try Fixture.plugin("floats", as: "floats", in: studio)
            func shot(_ effect: String) throws -> Shot {
                try studio.script(
                    "draft:add_clip(\(try Self.codes.lua))\n"
                        + String(repeating: effect.isEmpty ? "" : "draft:add_effect(\(effect))\n", count: 5),
                    size: (64, 64))
                return try Shot.all(of: try studio.render(with: ["--quality", "0", "--overwrite", "--no-cache"]))[0]
            }
            let plain = try shot("")
            let (bytes, floats) = (try shot("'test.crash', { frame = -1 }"), try shot("'test.floats', {}"))
            var colours = 0
            for y in stride(from: 0, to: 64, by: 2) {
                for x in stride(from: 0, to: 64, by: 2) {
                    let corners = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
                    let places = corners.map { (0, $0.0, $0.1) } + [(1, x / 2, y / 2), (2, x / 2, y / 2)]
                    let change = places.map { abs(bytes.sample($0.0, $0.1, $0.2) - plain.sample($0.0, $0.1, $0.2)) }
                        .max()
                    // Codes that are no colour would be clipped on the way; a filter that returns
                    // its input leaves them.
                    #expect(change == 0, "at \(x), \(y)")
                    if corners.allSatisfy({ Self.isColour(plain, $0.0, $0.1) }) { colours += 1 }
                    // The chroma of the last column before the other half is a mean with its.
                    if x < 30 {
                        #expect(
                            places.allSatisfy { floats.sample($0.0, $0.1, $0.2) == plain.sample($0.0, $0.1, $0.2) },
                            "at \(x), \(y)")
                    }
                }
            }
            #expect((50..<900).contains(colours), "\(colours)")
        }

        // MARK: In place

        /// A clip's decoded picture may be shown again; what another effect has made is nobody
        /// else's.
        @Test func `the output lies in the input where that is allowed and nobody needs it`() throws {
            let studio = try Studio()
            let allows = "CAPABILITIES=CUTROOM_CAN_IN_PLACE"
            for (name, defines) in [("first", []), ("allows", [allows]), ("reaches", [allows, "BEFORE=1"])] {
                try Fixture.plugin(
                    "paints",
                    ["VALUE=in->plane[0] == out->plane[0] ? 200 : 50", "FIXTURE_ID=\"test.\(name)\""] + defines,
                    as: name, in: studio)
            }
            let stacks = [["allows"], ["first", "allows"], ["first", "first"], ["first", "reaches"]]
            let rows = try Self.rows(
                studio,
                try stacks.map { stack in
                    let effects = stack.map { "{ 'test.\($0)', {} }" }.joined(separator: ", ")
                    return "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.1 }, effects = { \(effects) } })\n"
                }.joined())
            #expect(rows.map { $0[0] } == [50, 200, 50, 50].flatMap { [$0, $0, $0] })
        }

        @Suite struct Sweep {
            /// Nothing that follows, and times that go 0, 2, 4 …, too.
            @Test(arguments: orders + [("", []), ("draft:add_effect('speed', { factor = 2 })", [])])
            func `a call that does not go on from the one before says so`(later: String, breaks: [Int]) throws {
                try PluginCallTests().`a call that does not go on from the one before says so`(
                    later: later, breaks: breaks)
            }
        }
    }
}
