import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Analysers by themselves: what they are shown, and what they may give.
@Suite(.waits) final class AnalyserTests {
    /// Calls lend the memory of these.
    private var frames: [FrameMemory] = []

    private func kept(_ frame: FrameMemory) -> FrameMemory {
        frames.append(frame)
        return frame
    }

    private static func instance(_ defines: [String] = [], _ folder: TemporaryFolder) throws -> EffectInstance {
        let path = try PluginFixture.build("measures", defines, in: folder)
        let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.measures")
        #expect(loaded.descriptor.kind == .analyser && loaded.descriptor.refusal == nil)
        return try loaded.makeInstance(PluginSetup(format: .yuv420p8, width: 16, height: 8, frameRate: Rational(25)))
    }

    private func frame(_ luma: UInt8) -> FrameMemory {
        let memory = FrameMemory(.yuv420p8, 16, 8)
        memory.fill { plane, _, _ in plane == 0 ? luma : 128 }
        return kept(memory)
    }

    private static func call(_ input: FrameMemory, index: Int = 0) -> FrameCall {
        var call = FrameCall(inputs: [FrameWindow(input.frame)], output: nil)
        call.index = index
        return call
    }

    @Test func `its numbers come by their names`() throws {
        try TemporaryFolder.with { folder in
            let instance = try Self.instance([], folder)
            let input = frame(77)
            var call = Self.call(input, index: 3)
            call.values = ["scale": .numbers([2])]
            (call.time, call.duration) = (Time(seconds: 0.5)!, Time(seconds: 2)!)
            let numbers = try instance.analyse(call)
            #expect(
                numbers == [
                    "light": [154], "size": [16, 8], "place": [3, 0.5, 0.25], "around": [77, -1, -1], "none": [],
                ])
            // Numbers of a frame are not carried into the next one.
            #expect(try instance.analyse(Self.call(frame(9), index: 4))["light"] == [9])
        }
    }

    /// The instance goes on after each. That the call itself says so (CUTROOM_ERROR_PARAM), the
    /// fixture sees to.
    @Test(arguments: [
        ("EMITS_TIME", "it gives numbers under the name ‘time’, which a frame has itself"),
        ("EMITS_NAN", "it gives nan under the name ‘light’, and numbers must be finite"),
        ("EMITS_MUCH", "it gives more than 4096 numbers for one frame"),
        ("EMITS_ENDLESS", "it gives more than 4096 numbers for one frame"),
        ("EMITS_BAD_NAME", "it gives numbers under the name ‘Bad Key’; names are 1 to 64 of a–z, 0–9 and _"),
        ("FAILS", "it is not my day"),
    ])
    func `what it may not give is told`(define: String, reason: String) throws {
        try TemporaryFolder.with { folder in
            let instance = try Self.instance([define], folder)
            let input = frame(50)
            #expect(try instance.analyse(Self.call(input, index: 4))["light"] == [50])
            let error = #expect(throws: PluginError.self) { try instance.analyse(Self.call(input, index: 5)) }
            #expect(
                error?.reason == reason && error?.description.contains("test.measures") == true
                    && error?.place == .frame(5))
            #expect(try instance.analyse(Self.call(input, index: 6))["light"] == [50])
        }
    }

    @Test func `4096 numbers are not too many`() throws {
        try TemporaryFolder.with { folder in
            let numbers = try Self.instance(["EMITS_EARLY"], folder).analyse(Self.call(frame(1)))
            #expect(numbers.count == 4 && numbers.values.allSatisfy { $0.count == 1024 })
        }
    }

    @Test func `names are short and few`() {
        var emission = PluginEmission()
        func take(_ key: String, _ numbers: [Double] = [1.5]) -> Bool {
            numbers.withUnsafeBufferPointer { emission.take(key, $0) }
        }
        let long = String(repeating: "x", count: 64)
        #expect(take(long) && emission.numbers == [long: [1.5]])
        emission = PluginEmission()
        for index in 0..<Analysis.mostKeys { #expect(take("k\(index)")) }
        #expect(!take("one_more") && emission.refusal?.contains("more than 32 names") == true)
        // One that is there is given again.
        #expect(take("k3", [2.5, 3]) && emission.numbers.count == Analysis.mostKeys)
        #expect(emission.numbers["k3"] == [2.5, 3] && emission.numbers["k4"] == [1.5])
        #expect(take("k3", []) && emission.numbers["k3"] == [])
        for bad in ["", "Light", "a b", "ä", String(repeating: "x", count: 65)] { #expect(!take(bad), "\(bad)") }
    }

    @Test func `it has no output, and nobody else is without one`() throws {
        try TemporaryFolder.with { folder in
            let (input, output) = (frame(1), frame(1))
            let instance = try Self.instance([], folder)
            let error = #expect(throws: PluginError.self) {
                try instance.process(FrameCall(input: input.frame, output: output.frame))
            }
            #expect(error?.reason == "only an analyser has no output")
        }
    }

    // MARK: The shipped ones

    private static func shipped(_ id: String, _ values: [String: ParameterInput] = [:], size: (Int, Int)) throws
        -> EffectInstance
    {
        let path = try #require(PluginFixture.shipped("vision"), "libcutroom_plugin_vision.so is not built")
        let loaded = try PluginRegistry(searchPaths: []).load(path: path, effectID: id)
        var setup = PluginSetup(format: .yuv420p8, width: size.0, height: size.1, frameRate: Rational(25))
        setup.values = values
        return try loaded.makeInstance(setup)
    }

    /// Blotches that no two places share.
    private func texture(_ width: Int, _ height: Int, _ map: (Double, Double) -> (Double, Double)) -> FrameMemory {
        let memory = FrameMemory(.yuv420p8, width, height)
        func noise(_ x: Int, _ y: Int) -> Double {
            var z = UInt64(bitPattern: Int64(x &* 73_856_093 ^ y &* 19_349_663)) &* 0x9e37_79b9_7f4a_7c15
            z = (z ^ (z >> 29)) &* 0xbf58_476d_1ce4_e5b9
            return Double((z >> 32) & 0xff)
        }
        memory.fill { plane, x, y in
            guard plane == 0 else { return 128 }
            let (px, py) = map(Double(x) - Double(width - 1) / 2, Double(y) - Double(height - 1) / 2)
            let (gx, gy) = ((px / 12).rounded(.down), (py / 12).rounded(.down))
            let (fx, fy) = (px / 12 - gx, py / 12 - gy)
            func at(_ dx: Int, _ dy: Int) -> Double { noise(Int(gx) + dx, Int(gy) + dy) }
            let top = at(0, 0) * (1 - fx) + at(1, 0) * fx, bottom = at(0, 1) * (1 - fx) + at(1, 1) * fx
            return UInt8(clamping: Int(16 + 0.8 * (top * (1 - fy) + bottom * fy)))
        }
        return kept(memory)
    }

    /// Moves, turns and enlargements that are known exactly.
    @Test(arguments: [(0.0, 0.0, 0.0, 1.0), (5.25, -3.5, 0, 1), (-2, 1, 1.5, 1), (0, 0, -3, 1.04), (12, 7, 0.5, 0.97)])
    func `the camera's motion is measured`(dx: Double, dy: Double, angle: Double, scale: Double) throws {
        let (width, height) = (320, 200)
        let instance = try Self.shipped("org.cutroom.camera_motion", size: (width, height))
        let before = texture(width, height) { ($0, $1) }
        let (c, s) = (cos(angle * .pi / 180) / scale, sin(angle * .pi / 180) / scale)
        let now = texture(width, height) { x, y in (c * (x - dx) + s * (y - dy), -s * (x - dx) + c * (y - dy)) }
        var call = FrameCall(inputs: [FrameWindow(frames: [before.frame, now.frame], before: 1)], output: nil)
        call.index = 1
        let numbers = try instance.analyse(call)
        let motion = try #require(numbers["motion"]), trust = try #require(numbers["trust"])
        #expect(trust[0] > 0.7, "\(trust)")
        #expect(abs(motion[0] * 320 - dx) < 0.1 && abs(motion[1] * 200 - dy) < 0.1, "\(motion)")
        #expect(abs(motion[2] - angle) < 0.05 && abs(motion[3] - scale) < 0.001, "\(motion)")
        // The same again, to the bit.
        #expect(try instance.analyse(call) == numbers)
    }

    @Test func `at a cut, in a blank picture and in the first frame nothing moves`() throws {
        let instance = try Self.shipped("org.cutroom.camera_motion", size: (320, 200))
        let one = texture(320, 200) { ($0, $1) }, other = texture(320, 200) { ($0 * 1.9 + 700, $1 * 1.7 - 900) }
        let blank = kept(FrameMemory(.yuv420p8, 320, 200))
        for frames in [
            [nil, one.frame], [one.frame, other.frame], [blank.frame, blank.frame], [one.frame, blank.frame],
        ] {
            let numbers = try instance.analyse(FrameCall(inputs: [FrameWindow(frames: frames, before: 1)], output: nil))
            #expect(numbers == ["motion": [0, 0, 0, 1], "trust": [0]])
        }
    }

    @Test func `what is no cascade is told, and a blank picture has no faces`() throws {
        try TemporaryFolder.with { folder in
            try folder.write("<?xml version=\"1.0\"?><opencv_storage><a>1</a></opencv_storage>", to: "a.xml")
            try folder.write("nonsense", to: "b.xml")
            for name in ["a.xml", "b.xml", "gone.xml"] {
                let error = #expect(throws: PluginError.self) {
                    try Self.shipped("org.cutroom.faces", ["cascade": .text(folder.file(name))], size: (64, 48))
                }
                #expect(error?.reason == "‘\(folder.file(name))’ is not a cascade of OpenCV's")
            }
        }
        let instance = try Self.shipped("org.cutroom.faces", ["smile": .numbers([1])], size: (64, 48))
        let blank = kept(FrameMemory(.yuv420p8, 64, 48))
        #expect(
            try instance.analyse(FrameCall(inputs: [FrameWindow(blank.frame)], output: nil)) == [
                "faces": [], "smiles": [],
            ])
    }
}
