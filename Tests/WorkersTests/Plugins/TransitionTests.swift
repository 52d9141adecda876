import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The shipped transitions: where they begin and end, what lies between, and that all formats show
/// the same.
@Suite(.waits) struct TransitionTests {
    private static func time(_ progress: Double) -> Time {
        Time(flicks: Int64(progress * Double(Time.flicksPerSecond)))
    }

    private static func frame(
        _ name: String, _ old: FrameMemory, _ new: FrameMemory, _ progress: Double,
        _ values: [String: ParameterInput] = [:],
        color: PluginColor? = nil
    ) throws -> FrameMemory {
        try EffectLab.run(name, old, to: new, values, at: time(progress), color: color)
    }

    private static func floats(_ memory: FrameMemory) -> [Float] {
        memory.samples.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// The first frame is the outgoing picture; the last moment is the incoming one, to a code
    /// value.
    @Test(arguments: EffectLab.transitions, [PluginFormat.yuv420p8, .rgba8, .rgbaFloat])
    func endsAreThePicturesAlone(name: String, format: PluginFormat) throws {
        for (width, height) in [(96, 64), (53, 37)] {
            let old = EffectLab.picture(format, width, height)
            let new = EffectLab.negative(old)
            let first = try Self.frame(name, old, new, 0)
            #expect(first === old)
            let last = try Self.frame(name, old, new, 0.999_999)
            if format == .rgbaFloat {
                let most = zip(Self.floats(last), Self.floats(new)).map { abs($0 - $1) }.max() ?? 1
                #expect(most < 0.004, "\(most)")
            } else {
                let most = zip(last.samples, new.samples).map { abs(Int($0) - Int($1)) }.max() ?? 255
                #expect(most <= 1, "\(most)")
            }
        }
    }

    /// From black to white: every frame of a matte has more white than the one before, in every
    /// pixel.
    @Test(arguments: ["circle-open", "circle-close", "luma-matte", "burn"]) func mattesOnlyGrow(name: String) throws {
        let (black, white) = (
            EffectLab.flat(.yuv420p8, 80, 48, [16, 128, 128]), EffectLab.flat(.yuv420p8, 80, 48, [235, 128, 128])
        )
        let values: [String: ParameterInput] = name == "burn" ? ["glow": .numbers([0])] : [:]
        var before = black.samples
        for step in 1...24 {
            let frame = try Self.frame(name, black, white, Double(step) / 25, values).samples
            #expect(zip(before, frame).allSatisfy { $0 <= $1 }, "step \(step)")
            #expect(frame != before)
            before = frame
        }
    }

    /// The same picture in both: whatever moves, nothing else may appear. (The cube shows what is
    /// behind it, the fire glows.)
    @Test(arguments: ["circle-open", "circle-close", "luma-matte", "whip-pan", "zoom"]) func nothingIsAdded(
        name: String
    ) throws {
        for format in [PluginFormat.yuv420p8, .rgba8] {
            let flat = EffectLab.flat(format, 64, 40, [90, 140, 70])
            for step in 1...9 { #expect(try Self.frame(name, flat, flat, Double(step) / 10).samples == flat.samples) }
        }
    }

    /// A picture in 4:2:0 and the same in RGBA make the same luma, and bytes and floats the same
    /// colours.
    @Test(arguments: EffectLab.transitions) func formatsAgree(name: String) throws {
        let (width, height) = (96, 64)
        func gray(_ luma: (Int, Int) -> Int) -> (yuv: FrameMemory, rgba: FrameMemory) {
            let (yuv, rgba) = (FrameMemory(.yuv420p8, width, height), FrameMemory(.rgba8, width, height))
            yuv.fill { plane, x, y in plane > 0 ? 128 : UInt8(luma(x, y)) }
            rgba.fill { _, byte, y in
                byte % 4 == 3 ? 255 : UInt8(clamping: Int((Double(luma(byte / 4, y) - 16) * 255 / 219).rounded()))
            }
            return (yuv, rgba)
        }
        let (old, new) = (gray { x, y in 20 + 2 * x + y / 4 }, gray { x, y in 230 - 3 * y })
        let values: [String: ParameterInput] = name == "burn" ? ["color": .text("#ffffff")] : [:]
        for progress in [0.2, 0.45, 0.8] {
            let yuv = try Self.frame(name, old.yuv, new.yuv, progress, values)
            let rgba = try Self.frame(name, old.rgba, new.rgba, progress, values)
            let floats = Self.floats(
                try Self.frame(name, EffectLab.floats(old.rgba), EffectLab.floats(new.rgba), progress, values))
            var apart = 0
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = (0..<3).map { Double(rgba[0, 4 * x + $0, y]) }
                    for (c, value) in pixel.enumerated() {
                        #expect(abs(Double(floats[4 * (y * width + x) + c]) * 255 - value) < 2.1, "\(x) \(y)")
                    }
                    let luma = 16 + 219 / 255 * (0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2])
                    if abs(Double(yuv[0, x, y]) - luma) > 2.5 { apart += 1 }
                }
            }
            #expect(apart == 0, "\(name) at \(progress)")
        }
    }

    @Test func theCircleIsWhereItIsTold() throws {
        let (black, white) = (
            EffectLab.flat(.yuv420p8, 100, 60, [16, 128, 128]), EffectLab.flat(.yuv420p8, 100, 60, [235, 128, 128])
        )
        let values: [String: ParameterInput] = ["center": .numbers([0, 0]), "softness": .numbers([0])]
        let open = try Self.frame("circle-open", black, white, 0.5, values)
        // Half of the diagonal of 116.6, and the edge of one pixel.
        let edge = (0..<100).first { open[0, $0, 0] < 100 }
        #expect(edge.map { abs($0 - 58) <= 1 } == true, "\(String(describing: edge))")
        let close = try Self.frame("circle-close", black, white, 0.5, values)
        #expect(close[0, 10, 10] == 16 && close[0, 99, 59] == 235 && close[0, 57, 0] < 100 && close[0, 60, 0] > 200)
    }

    /// At half of the way two sides of the cube meet in the middle, and the perspective is that of
    /// the formula.
    @Test(arguments: ["left", "right", "up", "down"]) func theCubeIsTurnedExactly(direction: String) throws {
        let (red, blue) = (
            EffectLab.flat(.rgba8, 200, 200, [255, 0, 0]), EffectLab.flat(.rgba8, 200, 200, [0, 0, 255])
        )
        let frame = try Self.frame("cube", red, blue, 0.5, ["direction": .text(direction), "distance": .numbers([2])])
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { (0..<3).map { frame[0, 4 * x + $0, y] } }
        let (low, high): ((Int, Int), (Int, Int)) =
            direction == "left" || direction == "right" ? ((40, 100), (160, 100)) : ((100, 40), (100, 160))
        let isForward = direction == "left" || direction == "up"
        #expect(pixel(low.0, low.1) == (isForward ? [255, 0, 0] : [0, 0, 255]))
        #expect(pixel(high.0, high.1) == (isForward ? [0, 0, 255] : [255, 0, 0]))
        // The outer edge lies at half · √2 beside the axis, as far away as the axis: d / (d + half)
        // of that is seen.
        let edge = 100 - 100 * 2.0.squareRoot() * 400 / 500
        let row = (0..<200).map { direction == "left" || direction == "right" ? pixel($0, 100) : pixel(100, $0) }
        // Beyond the picture's edge, so all of it is covered.
        #expect(edge < 0 && row.allSatisfy { $0 != [0, 0, 0] })
        // In the middle the edge is nearer than the screen, so it reaches beyond; at the side a
        // corner is free.
        #expect(pixel(1, 1) == [0, 0, 0] && pixel(198, 198) == [0, 0, 0])
    }

    /// A line across the cube, in every frame of two seconds at 500 a second: what is seen of it is
    /// in one piece. (Where a side's plane passes the camera, one sample once took all of it.)
    @Test(arguments: ["left", "down"], [0.5, 1.5]) func nothingLiesBesideTheCube(direction: String, distance: Double)
        throws
    {
        try Self.expectOnePiece(direction, distance, every: 8)
    }

    @Suite struct Sweep {
        @Test(arguments: ["left", "down"], [0.5, 1.5])
        func nothingLiesBesideTheCube(direction: String, distance: Double) throws {
            try TransitionTests.expectOnePiece(direction, distance, every: 1)
        }
    }

    /// - Parameter step: in frames; the places differ from one direction to the other.
    fileprivate static func expectOnePiece(_ direction: String, _ distance: Double, every step: Int) throws {
        let isUpright = direction == "down"
        let (width, height) = isUpright ? (6, 1080) : (1920, 6)
        let white = EffectLab.flat(.yuv420p8, width, height, [235, 60, 60])
        let values: [String: ParameterInput] = ["direction": .text(direction), "distance": .numbers([distance])]
        for step in stride(from: isUpright ? 1 : 1 + step / 2, to: 1000, by: step) {
            let frame = try Self.frame("cube", white, white, Double(step) / 1000, values)
            for (plane, background) in [UInt8(16), 128, 128].enumerated() {
                let shift = plane == 0 ? 0 : 1
                var (pieces, wasSeen) = (0, false)
                for place in 0..<(isUpright ? height : width) >> shift {
                    let code = isUpright ? frame[plane, 1, place] : frame[plane, place, 1]
                    let isSeen = abs(Int(code) - Int(background)) > 1
                    if isSeen && !wasSeen { pieces += 1 }
                    wasSeen = isSeen
                }
                #expect(pieces <= 1, "plane \(plane) at \(Double(step) / 1000)")
            }
        }
    }

    @Test func whipPanGoesWhereItIsTold() throws {
        // Black with a white column that the camera leaves behind.
        let old = EffectLab.flat(.yuv420p8, 64, 64, [16, 128, 128])
        for y in 0..<64 { for x in 28..<36 { old[0, x, y] = 235 } }
        for (direction, sign) in [("left", -1), ("right", 1)] {
            let values: [String: ParameterInput] = [
                "direction": .text(direction), "distance": .numbers([1]), "motion_blur": .numbers([0]),
            ]
            let frame = try Self.frame("whip-pan", old, old, 0.3, values)
            // 0.216 of 64 pixels.
            let middle = (0..<64).filter { frame[0, $0, 9] > 200 }
            let moved = Double(middle.reduce(0, +)) / Double(middle.count) - 31.5
            #expect(abs(moved - Double(sign) * 13.8) < 0.6, "\(moved)")
        }
    }

    /// Its edge shines on an HDR canvas as light: white is the reference white, 58 % of PQ.
    @Test func fireIsLightOnAnHDRCanvas() throws {
        let black = EffectLab.floats(EffectLab.flat(.rgba8, 64, 64, [0, 0, 0]))
        let values: [String: ParameterInput] = ["color": .text("#ffffff"), "glow": .numbers([1])]
        let frame = Self.floats(
            try Self.frame("burn", black, black, 0.5, values, color: .canvas(.rgbaFloat, .pq)))
        let most = frame.enumerated().filter { $0.offset % 4 == 0 }.map(\.element).max() ?? 0
        #expect(most > 0.5 && most < 0.585, "\(most)")
    }

    @Test func mattesThatCannotBeUsedAreNamed() throws {
        try TemporaryFolder.with { folder in
            let text = try folder.write("no picture", to: "notes.png")
            for (path, words) in [(folder.file("absent.png"), "does not exist"), (text, "neither PNG nor JPEG")] {
                let picture = EffectLab.flat(.yuv420p8, 8, 8, [16, 128, 128])
                let error = #expect(throws: PluginError.self) {
                    try Self.frame("luma-matte", picture, picture, 0.5, ["image": .text(path)])
                }
                #expect(error?.reason.contains(path) == true && error?.reason.contains(words) == true)
            }
        }
    }

    /// A ramp of four grays in a file: each quarter changes in its turn.
    @Test(arguments: [false, true]) func anImageSaysWhenPixelsChange(isInverted: Bool) throws {
        try TemporaryFolder.with { folder in
            let path = folder.file("ramp.png")
            try #require(
                try Command.run([
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                    "color=black:s=64x8:d=1,format=gray,geq=lum='floor(X/16)*80'",
                    "-frames:v", "1", path,
                ]).succeeded)
            let (black, white) = (
                EffectLab.flat(.yuv420p8, 64, 32, [16, 128, 128]), EffectLab.flat(.yuv420p8, 64, 32, [235, 128, 128])
            )
            let values: [String: ParameterInput] = [
                "image": .text(path), "softness": .numbers([0]), "invert": .numbers([isInverted ? 1 : 0]),
            ]
            for (progress, columns) in [(0.15, 1), (0.45, 2), (0.8, 3)] {
                let frame = try Self.frame("luma-matte", black, white, progress, values)
                let seen = (0..<4).map { frame[0, 16 * $0 + 8, 16] == 235 }
                #expect(seen == (0..<4).map { (isInverted ? 3 - $0 : $0) < columns }, "\(progress)")
            }
        }
    }
}
