import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Each blend mode beside the formulas of the W3C's *Compositing and Blending Level 1*, in
    /// double precision, from a script to the samples of the file.
    @Suite struct LayerBlendTests {
        private static let modes = [
            "normal", "multiply", "screen", "overlay", "darken", "lighten", "color_dodge", "color_burn", "hard_light",
            "soft_light", "difference", "exclusion", "plus_lighter",
        ]
        /// Fields of 16×16 pixels on a canvas of 160×96.
        private static let fields = (across: 10, down: 6)

        /// The specification's B(cb, cs), chapter 9.1, of one component.
        private static func blended(_ mode: String, _ cb: Double, _ cs: Double) -> Double {
            switch mode {
            case "multiply": return cb * cs
            case "screen": return cb + cs - cb * cs
            case "overlay": return blended("hard_light", cs, cb)
            case "darken": return min(cb, cs)
            case "lighten": return max(cb, cs)
            case "color_dodge": return cb <= 0 ? 0 : cs >= 1 ? 1 : min(1, cb / (1 - cs))
            case "color_burn": return cb >= 1 ? 1 : cs <= 0 ? 0 : 1 - min(1, (1 - cb) / cs)
            case "hard_light":
                return cs <= 0.5 ? blended("multiply", cb, 2 * cs) : blended("screen", cb, 2 * cs - 1)
            case "soft_light":
                let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
                return cs <= 0.5 ? cb - (1 - 2 * cs) * cb * (1 - cb) : cb + (2 * cs - 1) * (d - cb)
            case "difference": return abs(cb - cs)
            case "exclusion": return cb + cs - 2 * cb * cs
            default: return cs
            }
        }

        /// The colour over an opaque one: chapter 5.8 of the specification; `plus-lighter` adds
        /// what is premultiplied, chapter 9.2.
        private static func over(_ mode: String, _ cb: Double, _ cs: Double, _ alpha: Double) -> Double {
            mode == "plus_lighter" ? min(1, cb + alpha * cs) : (1 - alpha) * cb + alpha * blended(mode, cb, cs)
        }

        /// R′G′B′ of samples by BT.709 and limited range.
        private static func rgb(_ y: Double, _ cb: Double, _ cr: Double) -> [Double] {
            let (e, b, r) = ((y - 16) / 219, (cb - 128) / 224, (cr - 128) / 224)
            return [
                e + 1.5748 * r, e - (0.0722 * 1.8556 * b + 0.2126 * 1.5748 * r) / 0.7152, e + 1.8556 * b,
            ].map { min(1, max(0, $0)) }
        }

        private static func samples(_ rgb: [Double]) -> [Double] {
            let y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
            return [16 + 219 * y, 128 + 224 * (rgb[2] - y) / 1.8556, 128 + 224 * (rgb[0] - y) / 1.5748]
        }

        /// Fields with black, white, mid grey, pure and random colours, and opaque or half alpha
        /// where there is any.
        private static func fields(_ seed: UInt64, alpha: Bool) -> [[UInt8]] {
            var random = SplitMix64(seed: seed)
            let pure: [[UInt8]] = [
                [0, 0, 0], [255, 255, 255], [128, 128, 128], [255, 0, 0], [0, 0, 255], [64, 64, 64],
            ]
            return (0..<fields.across * fields.down).map { index in
                let color =
                    random.chance(1, in: 3)
                    ? random.pick(pure) : (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
                return color + [alpha && index % 2 == 1 ? UInt8.random(in: 1...254, using: &random) : 255]
            }
        }

        private static func image(_ name: String, _ colors: [[UInt8]], in studio: Studio) throws {
            var raw = Data()
            for y in 0..<96 {
                for x in 0..<160 { raw.append(contentsOf: colors[y / 16 * fields.across + x / 16]) }
            }
            try FFmpeg.run([
                "-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", "160x96", "-i",
                try studio.folder.write(raw, to: name + ".raw"), studio.file(name + ".png"),
            ])
        }

        @Test func `each mode is the specification's to a code value, with half alpha too`() throws {
            let seed = Seed.announced(for: "blend modes", cases: 60)
            let layer = Self.fields(seed &+ 1, alpha: true)
            let studio = try Studio()
            try Self.image("under", Self.fields(seed, alpha: false), in: studio)
            try Self.image("over", layer, in: studio)
            let (modes, count) = (Self.modes, Self.modes.count)
            // A frame without a layer, one for each mode, and one for each mode at half opacity.
            try studio.script(
                """
                draft:add_image("under.png", { duration = \(Double(2 * count + 1) / 10) })
                local modes = { "\(modes.joined(separator: "\", \""))" }
                for i, mode in ipairs(modes) do
                  draft:add_layer("over.png", { at = i / 10, duration = 0.1, blend = mode })
                  draft:add_layer("over.png", { at = (i + #modes) / 10, duration = 0.1, blend = mode, opacity = 0.5 })
                end
                draft.export = { video = { quality = 0 } }
                """, fps: "10")
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 2 * count + 1)
            for (index, mode) in (modes + modes).enumerated() {
                let opacity = index < count ? 1 : 0.5
                for (field, color) in layer.enumerated() {
                    let (x, y) = (field % Self.fields.across * 16 + 8, field / Self.fields.across * 16 + 8)
                    func samples(_ shot: Shot) -> [Double] {
                        (0..<3).map { $0 == 0 ? shot.sample(0, x, y) : shot.sample($0, x / 2, y / 2) }
                    }
                    let below = samples(shots[0])
                    let under = Self.rgb(below[0], below[1], below[2])
                    let alpha = Double(color[3]) / 255 * opacity
                    let wanted = Self.samples(
                        (0..<3).map { Self.over(mode, under[$0], Double(color[$0]) / 255, alpha) })
                    let found = samples(shots[index + 1])
                    #expect(
                        zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 },
                        "\(mode) at \(opacity): \(color) over \(below) is \(found), not \(wanted)")
                }
            }
        }
    }
}
