import Draft
import Foundation
import TestSupport
import Testing

@testable import PluginHosting

/// Blur, sharpen and pixelate beside plain references.
@Suite struct EffectDetailTests {
    /// A Gaussian's own formula, in both directions, with the nearest sample outside the picture.
    private static func gauss(_ plane: [[Double]], _ sigma: Double) -> [[Double]] {
        let reach = Int(sigma * 5) + 1
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = weights.reduce(0, +)
        func filtered(_ line: [Double]) -> [Double] {
            line.indices.map { x in
                var total = 0.0
                for (weight, step) in zip(weights, -reach...reach) {
                    total += weight * line[min(max(x + step, 0), line.count - 1)]
                }
                return total / sum
            }
        }
        let rows = plane.map(filtered)
        let columns = rows[0].indices.map { x in filtered(rows.map { $0[x] }) }
        return rows.indices.map { y in columns.map { $0[y] } }
    }

    private static func plane(_ memory: FrameMemory, _ index: Int, channel: Int = 0) -> [[Double]] {
        let bytes = memory.frame.format == .rgba8 ? 4 : 1
        let size = memory.frame.format.planes(width: memory.frame.width, height: memory.frame.height)[index]
        return (0..<size.rows).map { y in
            (0..<(size.rowBytes / bytes)).map { Double(memory[index, bytes * $0 + channel, y]) }
        }
    }

    private static func psnr(_ a: [[Double]], _ b: [[Double]]) -> Double {
        let squares: [Double] = zip(a.joined(), b.joined()).map { ($0 - $1) * ($0 - $1) }
        let mean = squares.reduce(0, +) / Double(squares.count)
        return 10 * log10(255.0 * 255.0 / mean)
    }

    /// Narrower and wider ones.
    @Suite struct Sweep {
        @Test(arguments: [0.7, 2, 5.5, 14.0]) func otherBlursAreGaussian(radius: Double) throws {
            try EffectDetailTests().blurIsAGaussian(radius: radius)
        }
    }

    @Test(arguments: [2.0]) func blurIsAGaussian(radius: Double) throws {
        for format in [PluginFormat.yuv420p8, .rgba8] {
            let input = EffectLab.picture(format, 90, 71)
            let output = try EffectLab.run("blur", input, ["radius": .numbers([radius])])
            for plane in 0..<(format == .rgba8 ? 1 : 3) {
                let sigma = plane > 0 ? radius / 2 : radius
                let expected = Self.gauss(Self.plane(input, plane), sigma)
                // Three boxes are close to the Gaussian; narrow ones are coarser. A wide one meets
                // the edges in each pass.
                #expect(Self.psnr(Self.plane(output, plane), expected) > (sigma < 1 ? 38 : radius > 10 ? 41 : 44))
            }
        }
    }

    @Test func blurIsContinuousInItsRadius() throws {
        let input = EffectLab.picture(.yuv420p8, 64, 48)
        var last = try EffectLab.run("blur", input, ["radius": .numbers([0.1])])
        for step in 2...60 {
            let next = try EffectLab.run("blur", input, ["radius": .numbers([Double(step) / 10])])
            #expect(zip(last.samples, next.samples).allSatisfy { abs(Int($0) - Int($1)) <= 14 }, "\(step)")
            last = next
        }
    }

    /// What is transparent has no colour to give.
    @Test func blurLeavesHiddenColoursHidden() throws {
        let input = FrameMemory(.rgba8, 40, 20)
        input.fill { _, byte, _ in byte < 80 ? [250, 0, 0, 0][byte % 4] : [0, 0, 200, 255][byte % 4] }
        let output = try EffectLab.run("blur", input, ["radius": .numbers([3])], alpha: .straight)
        for x in 0..<40 where output[0, 4 * x + 3, 10] > 8 {
            #expect(output[0, 4 * x, 10] == 0 && abs(Int(output[0, 4 * x + 2, 10]) - 200) <= 8, "\(x)")
        }
        #expect((100...155).contains(output[0, 4 * 20 + 3, 10]))
    }

    @Test func sharpenAddsWhatBlurTakes() throws {
        for format in [PluginFormat.yuv420p8, .rgba8] {
            let value: (Int) -> UInt8 = { $0 < 20 ? 80 : 160 }
            let input = FrameMemory(format, 40, 12)
            input.fill { plane, byte, _ in
                format == .rgba8 ? (byte % 4 == 3 ? 255 : value(byte / 4)) : plane == 0 ? value(byte) : 128
            }
            let output = try EffectLab.run(
                "sharpen", input, ["amount": .numbers([1]), "radius": .numbers([2]), "threshold": .numbers([0])])
            let (before, after) = (Self.plane(input, 0), Self.plane(output, 0))
            let blurred = Self.gauss(before, 2)
            for x in 0..<40 { #expect(abs(after[6][x] - (2 * before[6][x] - blurred[6][x])) <= 3, "\(x)") }
            #expect(after[6][20] > 190 && after[6][19] < 50)
            // A difference below the threshold stays as it is.
            let noisy = FrameMemory(format, 30, 12)
            noisy.fill { _, byte, y in format == .rgba8 && byte % 4 == 3 ? 255 : UInt8(100 + (byte / 4 + y) % 2 * 3) }
            let calm = try EffectLab.run("sharpen", noisy, ["amount": .numbers([4]), "threshold": .numbers([0.02])])
            #expect(calm.samples == noisy.samples)
        }
    }

    @Test(arguments: [(0.0, 0.0, 0.0, 0.0), (9, 6, 21, 15), (-7, -3, 30, 20), (40, 30, 500, 500), (200, 0, 10, 10)])
    func pixelateShowsMeans(x: Double, y: Double, width: Double, height: Double) throws {
        let tile = 6.0
        let input = EffectLab.picture(.rgba8, 53, 41)
        let output = try EffectLab.run(
            "pixelate", input,
            ["tile": .numbers([tile]), "position": .numbers([x, y]), "size": .numbers([width, height])])
        let right = width > 0 ? min(53, Int(x + width)) : 53
        let bottom = height > 0 ? min(41, Int(y + height)) : 41
        for row in 0..<41 {
            for column in 0..<53 {
                guard column >= Int(x), row >= Int(y), column < right, row < bottom else {
                    #expect(output[0, 4 * column, row] == input[0, 4 * column, row])
                    continue
                }
                let left = Int(x + tile * floor((Double(column) - x) / tile))
                let top = Int(y + tile * floor((Double(row) - y) / tile))
                let columns = max(left, 0)..<min(left + 6, right), rows = max(top, 0)..<min(top + 6, bottom)
                var sum = 0
                for j in rows { for i in columns { sum += Int(input[0, 4 * i + 1, j]) } }
                let area = columns.count * rows.count
                #expect(Int(output[0, 4 * column + 1, row]) == (sum + area / 2) / area, "\(column) \(row)")
            }
        }
    }
}
