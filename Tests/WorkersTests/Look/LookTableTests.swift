import CKernels
import Foundation
import TestSupport
import Testing

@testable import Workers

@Suite(.waits) struct LookTableTests {
    // MARK: images

    /// A tile image of a look that tells every entry apart.
    @Test func tileImagesAreReadInOrder() throws {
        var pixels = [UInt8](repeating: 255, count: 512 * 512 * 4)
        for blue in 0..<64 {
            for green in 0..<64 {
                for red in 0..<64 {
                    let at = 4 * ((blue / 8 * 64 + green) * 512 + blue % 8 * 64 + red)
                    (pixels[at], pixels[at + 1], pixels[at + 2]) = (UInt8(red * 4), UInt8(green * 3), UInt8(blue * 2))
                }
            }
        }
        let table = try read(pixels, 512, 512)
        #expect(table.size == 64)
        for (red, green, blue) in [(0, 0, 0), (63, 0, 0), (0, 63, 0), (0, 0, 63), (1, 2, 3), (50, 9, 8), (63, 63, 63)] {
            let entry = 3 * (red + 64 * (green + 64 * blue))
            let wanted: [Float] = [red * 4, green * 3, blue * 2].map { Float($0) / 255 }
            #expect(Array(table.rgb[entry..<(entry + 3)]) == wanted)
        }
    }

    @Test(arguments: [2, 3, 5, 8]) func haldImagesAreRead(level: Int) throws {
        let (side, size) = (level * level * level, level * level)
        var pixels = [UInt8](repeating: 0, count: side * side * 4)
        for index in 0..<(side * side) {
            for (channel, value) in [index % size, index / size % size, index / size / size].enumerated() {
                pixels[4 * index + channel] = UInt8((Double(value) * 255 / Double(size - 1)).rounded())
            }
        }
        let table = try read(pixels, side, side)
        #expect(table.size == size)
        #expect(zip(table.rgb, LookTable.identity(size: size).rgb).allSatisfy { abs($0 - $1) < 0.003 })
    }

    /// ffmpeg makes Hald images too: an identity that this code did not draw.
    @Test func ffmpegsHaldImageIsTheIdentity() throws {
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "haldclutsrc=6", "-frames:v", "1", "-pix_fmt", "rgba", "-f",
            "rawvideo", "-",
        ])
        try #require(result.succeeded, "\(result)")
        let table = try read(Array(result.stdout), 216, 216)
        #expect(zip(table.rgb, LookTable.identity(size: 36).rgb).allSatisfy { abs($0 - $1) < 0.005 })
    }

    @Test(
        .enabled(
            if: MediaFolder.has("lookup.png", "lookup_amatorka.png", "lookup_miss_etikate.png"), MediaFolder.absence))
    func realLooksBakeWell() throws {
        for (name, isIdentity) in [
            ("lookup.png", true), ("lookup_amatorka.png", false), ("lookup_miss_etikate.png", false),
        ] {
            let file = try #require(MediaFolder.file(name))
            let result = try Command.run([
                "ffmpeg", "-v", "error", "-i", file, "-pix_fmt", "rgba", "-f", "rawvideo", "-",
            ])
            try #require(result.succeeded, "\(result)")
            let table = try read(Array(result.stdout), 512, 512)
            let identity = LookTable.identity(size: 64)
            let distance = zip(table.rgb, identity.rgb).map { abs($0 - $1) }.max() ?? 1
            #expect((distance < 0.005) == isIdentity, "\(name) is \(distance) from the identity")
            let error = try bakedError(table)
            // These looks are themselves steps of 8 bits.
            #expect(error.mean < 0.75 && error.worst < 9, "\(name): mean \(error.mean), worst \(error.worst)")
        }
    }

    @Test(arguments: [(512, 511), (1, 1), (100, 100), (4913, 4913)]) func otherSizesAreRefused(width: Int, height: Int)
    {
        let defect = #expect(throws: LookTable.Defect.self) {
            try LookTable(
                pixels: UnsafeRawBufferPointer(start: nil, count: 0), width: width, height: height, stride: 4 * width)
        }
        #expect(defect?.reason.contains("\(width)×\(height)") == true)
    }

    @Test func shortPixelsAreRefused() {
        #expect(throws: LookTable.Defect.self) { try read([0, 0, 0], 8, 8) }
    }

    // MARK: .cube

    @Test func cubeFilesAreRead() throws {
        let table = try LookTable(
            cube: """
                # comes from nowhere
                TITLE "Warm night"\r
                LUT_3D_SIZE 2
                DOMAIN_MIN 0 0 0
                DOMAIN_MAX 1.0 1.0 1.0

                0 0 0
                1 0 0.125
                \t0 1 0
                1 1 0
                0 0 1
                1 0 1
                0 1 1
                1e0 1.5 -0.25
                """)
        #expect(table.size == 2 && table.title == "Warm night")
        #expect(Array(table.rgb[3..<6]) == [1, 0, 0.125] && Array(table.rgb[21...]) == [1, 1.5, -0.25])
    }

    @Test func curvesAreExpanded() throws {
        let table = try LookTable(cube: "LUT_1D_SIZE 3\n0 0 1\n0.25 0.5 0.5\n1 1 0\n")
        #expect(table.size == 65)
        let entry = 3 * (16 + 65 * (32 + 65 * 64))
        #expect(Array(table.rgb[entry..<(entry + 3)]) == [0.125, 0.5, 0])
    }

    @Test func otherDomainsAreSampledAnew() throws {
        let rows = (0..<8).map { "\($0 & 1 == 1 ? 2 : 0) \($0 & 2 == 2 ? 2 : 0) \($0 & 4 == 4 ? 2 : 0)" }.joined(
            separator: "\n")
        // The identity over 0…2 is the identity over 0…1.
        for header in ["DOMAIN_MAX 2 2 2", "LUT_3D_INPUT_RANGE 0 2"] {
            let table = try LookTable(cube: "LUT_3D_SIZE 2\n\(header)\n\(rows)")
            #expect(zip(table.rgb, LookTable.identity(size: table.size).rgb).allSatisfy { abs($0 - $1) < 1e-5 })
        }
    }

    @Test(
        arguments: [
            ("", nil, "no LUT_3D_SIZE"), ("LUT_3D_SIZE 2\n0 0 0\n", nil, "1 rows of numbers; its size asks for 8"),
            ("LUT_3D_SIZE 1\n", 1, "2…256"), ("LUT_3D_SIZE 4000000000000\n", 1, "2…256"), ("LUT_3D_SIZE\n", 1, "2…256"),
            ("LUT_3D_SIZE 2\n0 0\n", 2, "not 3 numbers"), ("LUT_3D_SIZE 2\n0 0 zero\n", 2, "not 3 numbers"),
            ("LUT_3D_SIZE 2\n0 nan 0\n", 2, "not finite"), ("LUT_3D_SIZE 2\n\nnan nan nan\n", 3, "not finite"),
            ("0 0 0\n", 1, "before LUT_3D_SIZE"), ("LUT_3D_SIZE 2\nLUT_1D_SIZE 2\n", 2, "twice"),
            ("<html>\n", 1, "numbers"),
            ("hello there\n", 1, "not a keyword"), ("LUT_3D_SIZE 2\nDOMAIN_MAX 1 1\n", 2, "not 3 numbers"),
            ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n2 2 2\n", 4, "more rows"),
            ("LUT_1D_SIZE 2\nDOMAIN_MIN 1 0 0\n0 0 0\n1 1 1", nil, "domain"),
        ] as [(String, Int?, String)])
    func badCubesAreRefusedWithTheLine(text: String, line: Int?, words: String) {
        let defect = #expect(throws: LookTable.Defect.self) { try LookTable(cube: text) }
        #expect(defect?.line == line && defect?.reason.contains(words) == true, "\(defect?.description ?? "")")
    }

    @Test func anyTextIsAnsweredFor() {
        let seed = Seed.announced(for: "anyTextIsAnsweredFor", cases: 300)
        let words = [
            "LUT_3D_SIZE", "LUT_1D_SIZE", "2", "3", "-1", "0.5", "\n", "\n", " ", "DOMAIN_MIN", "TITLE", "\"", "#",
            "nan",
            "é", "\r\n",
        ]
        for index in 0..<300 {
            var random = SplitMix64.forCase(index, of: seed)
            let text = (0..<Int.random(in: 0..<60, using: &random)).map { _ in random.pick(words) }.joined(
                separator: " ")
            if let table = try? LookTable(cube: text) {
                #expect(table.rgb.count == 3 * table.size * table.size * table.size && table.rgb.allSatisfy(\.isFinite))
            }
        }
    }

    // MARK: helpers

    private func read(_ pixels: [UInt8], _ width: Int, _ height: Int) throws -> LookTable {
        try pixels.withUnsafeBytes { bytes in
            try LookTable(pixels: bytes, width: width, height: height, stride: 4 * width)
        }
    }

    /// Code values between the baked look and the exact one, over random RGB colours.
    private func bakedError(_ table: LookTable) throws -> (mean: Double, worst: Double) {
        let lut = try #require(ck_lut_bake(table.rgb, Int32(table.size), 1))
        defer { ck_lut_free(lut) }
        var random = SplitMix64(seed: 51)
        var (sum, worst) = (0.0, 0.0)
        for _ in 0..<4000 {
            var code: [UInt8] = [0, 0, 0]
            ck_color(
                .random(in: 0...255, using: &random), .random(in: 0...255, using: &random),
                .random(in: 0...255, using: &random), &code)
            var (y, u, v) = (code[0], code[1], code[2])
            var exact = [0.0, 0, 0]
            ck_lut_exact(table.rgb, Int32(table.size), 1, code.map(Double.init), &exact)
            let picture = ck_make_picture(&y, 1, &u, 1, &v, 1, 1, 1)
            ck_lut_apply(picture, picture, lut)
            for (value, wanted) in zip([y, u, v], exact) {
                let error = abs(Double(value) - min(max(wanted, 0), 255))
                sum += error / 12_000
                worst = max(worst, error)
            }
        }
        return (sum, worst)
    }
}
