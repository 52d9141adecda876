import Media

extension LookTable {
    /// The table of a `.cube` file. Curves are expanded to a table; one over another domain than
    /// 0…1 is sampled anew over 0…1.
    init(_ file: CubeFile) {
        switch file.shape {
        case .curves(let size): self = file.expandedCurves(size)
        case .cube(let size):
            self =
                file.low == [0, 0, 0] && file.high == [1, 1, 1]
                ? LookTable(size: size, rgb: file.values, title: file.title) : file.resampledCube(size)
        }
    }

    /// Reads the text of a `.cube` file.
    init(cube text: String) throws(Defect) {
        do throws(CubeFile.Defect) {
            self.init(try CubeFile(text: text))
        } catch {
            throw Defect(line: error.line, reason: error.reason)
        }
    }
}

extension CubeFile {
    /// Three curves as a table: fine enough (65 points) for what a curve does between 8-bit codes.
    fileprivate func expandedCurves(_ size: Int) -> LookTable {
        let points = 65
        let curves = (0..<3).map { channel in
            (0..<points).map { point in
                let (index, fraction) = position(Float(point) / Float(points - 1), channel: channel, size: size)
                let (a, b) = (values[3 * index + channel], values[3 * (index + 1) + channel])
                return a + (b - a) * fraction
            }
        }
        var rgb: [Float] = []
        rgb.reserveCapacity(3 * points * points * points)
        for blue in curves[2] {
            for green in curves[1] {
                for red in curves[0] { rgb += [red, green, blue] }
            }
        }
        return LookTable(size: points, rgb: rgb, title: title)
    }

    /// The same look over 0…1, by trilinear interpolation; inputs outside the domain take its edge.
    fileprivate func resampledCube(_ size: Int) -> LookTable {
        let points = max(size, 33)
        var rgb: [Float] = []
        rgb.reserveCapacity(3 * points * points * points)
        func axis(_ channel: Int) -> [(index: Int, fraction: Float)] {
            (0..<points).map { position(Float($0) / Float(points - 1), channel: channel, size: size) }
        }
        let (reds, greens, blues) = (axis(0), axis(1), axis(2))
        for blue in blues {
            for green in greens {
                for red in reds {
                    for channel in 0..<3 {
                        var sum: Float = 0
                        for corner in 0..<8 {
                            let (r, g, b) = (corner & 1, corner >> 1 & 1, corner >> 2)
                            let weight =
                                (r == 1 ? red.fraction : 1 - red.fraction)
                                * (g == 1 ? green.fraction : 1 - green.fraction)
                                * (b == 1 ? blue.fraction : 1 - blue.fraction)
                            let entry = red.index + r + size * (green.index + g + size * (blue.index + b))
                            sum += weight * values[3 * entry + channel]
                        }
                        rgb.append(sum)
                    }
                }
            }
        }
        return LookTable(size: points, rgb: rgb, title: title)
    }

    /// Where an input lies in the domain: the entry before it and the way to the next.
    private func position(_ input: Float, channel: Int, size: Int) -> (index: Int, fraction: Float) {
        let scaled = min(max((input - low[channel]) / (high[channel] - low[channel]), 0), 1) * Float(size - 1)
        let index = min(Int(scaled), size - 2)
        return (index, scaled - Float(index))
    }
}
