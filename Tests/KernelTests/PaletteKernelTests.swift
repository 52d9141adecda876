import CKernels
import TestSupport
import Testing

@Suite struct PaletteKernelTests {
    private func choose(_ pictures: [[UInt8]], width: Int, limit: Int32) throws -> [UInt32] {
        let histogram = try #require(ck_histogram_create())
        defer { ck_histogram_free(histogram) }
        for rgb in pictures {
            #expect(ck_histogram_add(histogram, rgb, 3 * width, Int32(width), Int32(rgb.count / 3 / width)) == 0)
        }
        var colors = [UInt32](repeating: 0, count: 256)
        let count = ck_palette_choose(histogram, limit, &colors)
        return Array(colors.prefix(Int(count)))
    }

    private func dither(_ rgb: [UInt8], width: Int, _ colors: [UInt32], before: [UInt8]? = nil) throws -> [UInt8] {
        let palette = try #require(ck_palette_create(colors, Int32(colors.count)))
        defer { ck_palette_free(palette) }
        let height = rgb.count / 3 / width
        var indices = [UInt8](repeating: 99, count: (width + 3) * height)
        var old = indices
        if let before {
            for pixel in before.indices { old[pixel / width * (width + 3) + pixel % width] = before[pixel] }
        }
        let status = old.withUnsafeBufferPointer {
            ck_palette_dither(
                palette, rgb, 3 * width, Int32(width), Int32(height), before == nil ? nil : $0.baseAddress, &indices,
                width + 3)
        }
        #expect(status == 0)
        for row in 0..<height {
            #expect(indices[(row * (width + 3) + width)..<((row + 1) * (width + 3))].allSatisfy { $0 == 99 })
        }
        return (0..<width * height).map { indices[$0 / width * (width + 3) + $0 % width] }
    }

    /// Colours with one in each cell of the histogram come out as they are, and so does a picture
    /// of them.
    @Test func fewColoursStayExact() throws {
        var random = SplitMix64(seed: 7)
        let wanted = (0..<200).map { index -> UInt32 in
            let (r, g, b) = (UInt32(index % 6 * 48 + 3), UInt32(index / 6 % 6 * 48 + 5), UInt32(index / 36 * 40 + 1))
            return r << 16 | g << 8 | b
        }
        let (width, height) = (37, 23)
        let pictures = (0..<4).map { _ in
            (0..<width * height).flatMap { _ -> [UInt8] in
                let color = wanted.randomElement(using: &random)!
                return [UInt8(color >> 16), UInt8(color >> 8 & 255), UInt8(color & 255)]
            }
        }
        let colors = try choose(pictures, width: width, limit: 255)
        #expect(Set(colors).isSubset(of: wanted) && colors.count > 190)
        for rgb in pictures {
            let indices = try dither(rgb, width: width, colors)
            for (pixel, index) in indices.enumerated() {
                let color = UInt32(rgb[3 * pixel]) << 16 | UInt32(rgb[3 * pixel + 1]) << 8 | UInt32(rgb[3 * pixel + 2])
                #expect(colors[Int(index)] == color)
            }
        }
    }

    /// The error diffusion as its header has it, with a search through all colours for each pixel.
    private func plain(_ rgb: [UInt8], width: Int, _ colors: [UInt32], before: [UInt8]?) -> [UInt8] {
        let height = rgb.count / 3 / width
        let channels = colors.map { color in [16, 8, 0].map { Double(color >> $0 & 255) } }
        var errors = [Double](repeating: 0, count: rgb.count)
        var indices = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            let step = y % 2 == 0 ? 1 : -1
            for x in step > 0 ? Array(0..<width) : (0..<width).reversed() {
                let at = 3 * (y * width + x)
                let wanted = (0..<3).map {
                    min(255, max(0, (Double(rgb[at + $0]) + errors[at + $0] + 0.5).rounded(.down)))
                }
                let distances = channels.map { color in
                    zip(color, wanted).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
                }
                // The first among equals.
                var index = distances.indices.min { distances[$0] < distances[$1] }!
                if let old = before?[y * width + x], distances[Int(old)] <= distances[index] + 24 { index = Int(old) }
                indices[y * width + x] = UInt8(index)
                // One step in two channels is not handed on.
                if distances[index] <= 2 { continue }
                for (column, row, share) in [
                    (x + step, y, 0.375), (x - step, y + 1, 0.1875), (x, y + 1, 0.1875),
                ]
                where (0..<width).contains(column) && row < height {
                    for c in 0..<3 {
                        errors[3 * (row * width + column) + c] += share * (wanted[c] - channels[index][c])
                    }
                }
            }
        }
        return indices
    }

    @Test func ditheringEqualsItsReference() throws {
        let cases = Seed.cases(12)
        let seed = Seed.announced(for: "dithering", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let (width, height) = random.pick(awkwardSizes)
            let colors = (0..<random.pick([1, 2, 7, 64, 256])).map { _ in
                UInt32.random(in: 0...0xffffff, using: &random)
            }
            let noise = random.pick([0, 3, 255])
            let rgb = (0..<3 * width * height).map { at -> UInt8 in
                UInt8(min(255, at / 3 % width + Int.random(in: 0...noise, using: &random)))
            }
            let old = (0..<width * height).map { _ in UInt8(Int.random(in: 0..<colors.count, using: &random)) }
            for before in [nil, old] {
                #expect(
                    try dither(rgb, width: width, colors, before: before)
                        == plain(rgb, width: width, colors, before: before),
                    "case \(index): \(width)×\(height), \(colors.count) colours")
            }
        }
    }

    /// A ramp in eight greys has the ramp's brightness everywhere.
    @Test func theErrorIsHandedOn() throws {
        let (width, height) = (256, 64)
        let rgb = (0..<width * height).flatMap { pixel -> [UInt8] in Array(repeating: UInt8(pixel % width), count: 3) }
        let indices = try dither(rgb, width: width, (0..<8).map { UInt32($0 * 255 / 7) * 0x010101 })
        for block in 1..<15 {
            var sum = 0
            for y in 0..<height {
                for x in block * 16..<block * 16 + 16 { sum += Int(indices[y * width + x]) * 255 / 7 }
            }
            #expect(abs(Double(sum) / Double(16 * height) - (Double(block) * 16 + 7.5)) < 5, "block \(block)")
        }
    }

    /// A wall whose colour lies beside all that the palette has: no pixel gets a colour that is far
    /// off.
    @Test func errorsDoNotPileUp() throws {
        var random = SplitMix64(seed: 5)
        let wall = [120, 110, 100]
        let rgb = (0..<3 * 64 * 64).map { UInt8(wall[$0 % 3] + Int.random(in: -2...2, using: &random)) }
        let indices = try dither(rgb, width: 64, [0x786e68, 0x7a7068, 0x766c66, 0xd02020, 0x20d020, 0x2020d0])
        #expect(indices.allSatisfy { $0 < 3 })
    }

    /// What is the same but for noise has the indices of the picture before.
    @Test func noiseLeavesThePictureBefore() throws {
        var random = SplitMix64(seed: 6)
        var still: [UInt8] = []
        for y in 0..<64 { for x in 0..<64 { still += [UInt8(40 + 2 * x), 90, UInt8(60 + y)] } }
        let colors = try choose([still], width: 64, limit: 200)
        let first = try dither(still, width: 64, colors)
        let noisy = still.map { sample -> UInt8 in UInt8(Int(sample) + Int.random(in: -1...1, using: &random)) }
        let kept = zip(first, try dither(noisy, width: 64, colors, before: first)).count { $0 == $1 }
        let alone = zip(first, try dither(noisy, width: 64, colors)).count { $0 == $1 }
        #expect(kept > 4096 * 8 / 10 && kept > alone + 200, "\(kept), \(alone)")
    }

    /// A gradient of hardly more colours than there is room for has nearly all of them, and is off
    /// by one step at most.
    @Test func aGradientHasItsOwnColours() throws {
        let (width, height) = (266, 40)
        let rgb = (0..<width * height).flatMap { pixel -> [UInt8] in
            let x = pixel % width
            return [UInt8(x * 250 / 265), UInt8(x * 200 / 265), UInt8(255 - x * 255 / 265)]
        }
        let colors = try choose([rgb], width: width, limit: 255)
        #expect(colors.count == 255)
        let indices = try dither(rgb, width: width, colors)
        var error = 0
        for (pixel, index) in indices.enumerated() {
            for (channel, shift) in [16, 8, 0].enumerated() {
                let off = Int(colors[Int(index)] >> UInt32(shift) & 255) - Int(rgb[3 * pixel + channel])
                #expect(abs(off) <= 1)
                error += off * off
            }
        }
        // ffmpeg's palettegen and paletteuse have 0.1226, as this has.
        #expect((Double(error) / Double(rgb.count)).squareRoot() < 0.125)
    }

    /// More colours than are counted one by one: what is counted does not depend on the order of
    /// the pixels.
    @Test func moreColoursThanCells() throws {
        var random = SplitMix64(seed: 8)
        let width = 640
        var pixels = (0..<width * 640).map { _ in UInt32.random(in: 0...0xffffff, using: &random) }
        func picture() -> [UInt8] { pixels.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] } }
        let colors = try choose([picture()], width: width, limit: 255)
        pixels.shuffle(using: &random)
        let shuffled = picture()
        let parts = [Array(shuffled.prefix(3 * width * 100)), Array(shuffled.dropFirst(3 * width * 100))]
        let again = try choose(parts, width: width, limit: 255)
        #expect(colors.count == 255 && again == colors)
        for channel in [16, 8, 0] as [UInt32] {
            let values = colors.map { $0 >> channel & 255 }
            #expect(values.min()! < 40 && values.max()! > 215)
        }
    }

    /// More colours are never worse, and 255 come near a smooth picture.
    @Test func coloursAreWellChosen() throws {
        let (width, height) = (128, 128)
        let rgb = (0..<width * height).flatMap { pixel -> [UInt8] in
            [UInt8(pixel % width * 2), UInt8(pixel / width * 2), UInt8(255 - (pixel % width + pixel / width))]
        }
        var errors: [Double] = []
        for limit: Int32 in [2, 8, 32, 128, 255] {
            let colors = try choose([rgb], width: width, limit: limit)
            #expect(colors.count <= limit && colors.count > limit / 2)
            var error = 0.0
            for pixel in 0..<width * height {
                let (r, g, b) = (Int(rgb[3 * pixel]), Int(rgb[3 * pixel + 1]), Int(rgb[3 * pixel + 2]))
                error += Double(
                    colors.map { c in
                        let (dr, dg, db) = (Int(c >> 16) - r, Int(c >> 8 & 255) - g, Int(c & 255) - b)
                        return dr * dr + dg * dg + db * db
                    }.min() ?? 0)
            }
            errors.append((error / Double(3 * width * height)).squareRoot())
        }
        #expect(errors == errors.sorted(by: >), "\(errors)")
        #expect(errors[4] < 5, "\(errors)")
    }

    @Test func limitsAreKept() throws {
        #expect(try choose([], width: 1, limit: 255) == [])
        #expect(try choose([[9, 9, 9]], width: 1, limit: 255) == [0x090909])
        #expect(try choose([[9, 9, 9]], width: 1, limit: 300) == [])
        #expect(ck_palette_create([0], 0) == nil && ck_palette_create([0], 257) == nil)
    }
}
