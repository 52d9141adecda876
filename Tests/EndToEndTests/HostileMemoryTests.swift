import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Small files that claim much, used once and several times at once: docs/security.md states
    /// the bounds.
    @Suite struct HostileMemoryTests {
        /// Bytes of a worker: 2 GiB of pictures, and what a process takes without them.
        private static let bound = 2_400_000

        private static func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        /// Two frames of one pixel on a canvas of any size (GIF89a).
        private static func gif(side: Int) -> [UInt8] {
            let frame: [UInt8] =
                [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C] + [UInt8](repeating: 0, count: 4)
                + number(1, 2) + number(1, 2) + [0, 2, 2, 0x44, 1, 0]
            return Array("GIF89a".utf8) + number(side, 2) + number(side, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
                + frame + frame + [0x3B]
        }

        /// An animation whose canvas is said to be larger than its frames (VP8X of the WebP
        /// container).
        private static func webp(width: Int, height: Int) throws -> [UInt8] {
            let small = try Footage.made(
                "small-\(width)x\(height).webp",
                ["-f", "lavfi", "-i", "testsrc=s=64x64:r=5:d=1", "-c:v", "libwebp_anim", "-lossless", "1"])
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: small)))
            try #require(bytes[12..<16].elementsEqual("VP8X".utf8))
            bytes.replaceSubrange(24..<27, with: number(width - 1, 3))
            bytes.replaceSubrange(27..<30, with: number(height - 1, 3))
            return bytes
        }

        /// A JPEG 2000, TIFF or PNG has to be decoded whole; a PNG of one colour is small.
        private static func png() throws -> [UInt8] {
            let large = try Footage.made(
                "large-plain.png",
                ["-f", "lavfi", "-i", "color=red:s=14000x9000", "-frames:v", "1", "-pix_fmt", "rgb24"])
            return Array(try Data(contentsOf: URL(fileURLWithPath: large)))
        }

        @Suite(.enabled(if: !Sanitizer.isActive, Sanitizer.countsItself)) struct Sweep {
            @Test(arguments: ["a.gif", "a.webp", "a.png"], [1, 2, 4])
            func `a worker stays within its bound, however often a file is used`(name: String, uses: Int) throws {
                let studio = try Studio()
                let bytes =
                    switch name {
                    case "a.gif": HostileMemoryTests.gif(side: 11_000)
                    case "a.webp": try HostileMemoryTests.webp(width: 12_000, height: 8000)
                    default: try HostileMemoryTests.png()
                    }
                try Data(bytes).write(to: URL(fileURLWithPath: studio.file(name)))
                let layers = (0..<uses).map { index in
                    "draft:add_layer('\(name)', { at = 0, duration = 0.3, size = { 60, 60 }, position = { \(20 * index), 0 } })"
                }
                try studio.script(
                    "draft:add_clip(\(try Footage.solid("0x2040c0").lua), { range = { 0, 0.3 } })\n"
                        + layers.joined(separator: "\n"))
                let (end, peak) = try EndToEnd.renderMeasured(studio, workers: 2, timeout: 300)
                #expect(!end.isTimeout && (end.succeeded || end.status == 65), "\(end)")
                if !end.succeeded { #expect(end.stderr.contains(name) && end.stderr.contains("MiB"), "\(end)") }
                #expect(peak > 0 && peak <= HostileMemoryTests.bound, "\(name), \(uses): \(peak / 1000) MB")
            }
        }
    }

    /// Renders edit.lua to out.mp4.
    /// - Returns: how it ended, and the most memory that one worker had, in kB.
    static func renderMeasured(
        _ studio: Studio, workers: Int, timeout: Double
    ) throws -> (end: Command.Output, peak: Int) {
        let render = try studio.start(["render", "edit.lua", "-o", "out.mp4", "--workers", "\(workers)"])
        var peak = 0
        while render.isRunning {
            for worker in studio.workers { peak = max(peak, peakMemory(worker)) }
            usleep(5000)
        }
        return (render.wait(timeout: timeout), peak)
    }

    /// The most that a process has had in memory since it began, in kB; proc(5).
    private static func peakMemory(_ process: pid_t) -> Int {
        let status = String(
            decoding: FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data(), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
