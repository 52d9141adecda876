import Foundation

/// One decoded frame of an output, 8-bit Y′CbCr 4:2:0 as it is stored.
public struct Shot: Equatable, Sendable {
    public var width: Int
    public var height: Int
    public var luma: [UInt8]
    public var cb: [UInt8]
    public var cr: [UInt8]

    public struct RGB: CustomStringConvertible, Sendable {
        public var red: Double
        public var green: Double
        public var blue: Double
        public var description: String { "(\(Int(red.rounded())), \(Int(green.rounded())), \(Int(blue.rounded())))" }

        /// The largest difference of a component, in code values.
        public func distance(_ other: RGB) -> Double {
            max(abs(red - other.red), abs(green - other.green), abs(blue - other.blue))
        }

        public init(_ red: Double, _ green: Double, _ blue: Double) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// `0xc83232`.
        public init(_ hex: UInt32) { self.init(Double(hex >> 16 & 255), Double(hex >> 8 & 255), Double(hex & 255)) }

        /// `share` of `other`, the rest of this.
        public func mixed(_ other: RGB, _ share: Double) -> RGB {
            RGB(
                red + (other.red - red) * share, green + (other.green - green) * share,
                blue + (other.blue - blue) * share)
        }
    }

    /// The mean colour of a rectangle, by BT.709 and limited range (ITU-R BT.709-6, items 3.2 to
    /// 3.5).
    public func mean(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> RGB {
        var sum = (0.0, 0.0, 0.0)
        for row in y..<y + height {
            for column in x..<x + width {
                let chroma = row / 2 * (self.width / 2) + column / 2
                sum.0 += Double(luma[row * self.width + column])
                sum.1 += Double(cb[chroma])
                sum.2 += Double(cr[chroma])
            }
        }
        let count = Double(width * height)
        let (e, b, r) = ((sum.0 / count - 16) / 219, (sum.1 / count - 128) / 224, (sum.2 / count - 128) / 224)
        let clamp = { (value: Double) in min(255, max(0, value * 255)) }
        return RGB(clamp(e + 1.5748 * r), clamp(e - 0.1873 * b - 0.4681 * r), clamp(e + 1.8556 * b))
    }

    /// The mean colour of the whole picture.
    public var mean: RGB { mean(0, 0, width, height) }

    /// Peak signal to noise in decibels over all samples of both pictures.
    public func psnr(_ other: Shot) -> Double {
        var sum = 0.0
        for (a, b) in [(luma, other.luma), (cb, other.cb), (cr, other.cr)] {
            for (x, y) in zip(a, b) { sum += (Double(x) - Double(y)) * (Double(x) - Double(y)) }
        }
        let error = sum / Double(luma.count + cb.count + cr.count)
        return error == 0 ? .infinity : 10 * log10(255 * 255 / error)
    }

    /// A picture whose samples are computed: `sample` gets the plane (0…2), and x and y in that
    /// plane.
    public init(_ width: Int, _ height: Int, _ sample: (Int, Int, Int) -> Double) {
        func plane(_ number: Int, _ width: Int, _ height: Int) -> [UInt8] {
            (0..<width * height).map { UInt8(min(255, max(0, sample(number, $0 % width, $0 / width).rounded()))) }
        }
        (self.width, self.height) = (width, height)
        (luma, cb, cr) = (plane(0, width, height), plane(1, width / 2, height / 2), plane(2, width / 2, height / 2))
    }

    public func sample(_ plane: Int, _ x: Int, _ y: Int) -> Double {
        plane == 0 ? Double(luma[y * width + x]) : Double((plane == 1 ? cb : cr)[y * (width / 2) + x])
    }

    /// The index that the frame shows (``FrameCode``).
    public var index: Int? { FrameCode.index(luma: luma, width: width, height: height) }
}

extension Shot {
    /// Every stored frame of a file, in order, in the file's own size.
    public static func all(of path: String) throws -> [Shot] {
        // The size stands in YUV4MPEG2's first line, ` W160 H96`, and a line stands before each
        // frame.
        let data = try FFmpeg.run([
            "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-",
        ]).stdout
        let newline = UInt8(ascii: "\n")
        let head = data.prefix { $0 != newline }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ")
        func size(_ letter: Character) -> Int {
            words.first { $0.first == letter }.flatMap { Int($0.dropFirst()) } ?? 0
        }
        let (width, height) = (size("W"), size("H"))
        guard width > 0, height > 0 else { return [] }
        let (whole, part) = (width * height, width / 2 * (height / 2))
        let mark = "FRAME\n".utf8.count
        return stride(from: head.endIndex + 1 + mark, to: data.endIndex, by: whole + 2 * part + mark).map { start in
            var shot = Shot(width: width, height: height, luma: [], cb: [], cr: [])
            shot.luma = Array(data[start..<start + whole])
            shot.cb = Array(data[start + whole..<start + whole + part])
            shot.cr = Array(data[start + whole + part..<start + whole + 2 * part])
            return shot
        }
    }

    private init(width: Int, height: Int, luma: [UInt8], cb: [UInt8], cr: [UInt8]) {
        (self.width, self.height, self.luma, self.cb, self.cr) = (width, height, luma, cb, cr)
    }
}
