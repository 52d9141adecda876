import Foundation
import TestSupport
import Testing

/// The file that a recipe renders, measured by ffmpeg and by formulas that share no code with the
/// product.
struct Dish {
    let path: String

    /// The same measurements of an input.
    static func input(_ name: String) throws -> Dish { Dish(path: try Recipe.media + "/" + name) }

    func movie() throws -> Movie { try Movie(path) }
    func sound() throws -> Sound { try Sound(of: path) }

    /// All pictures, scaled to a width; the default is half of the usual canvas.
    func pictures(width: Int = 320) throws -> [Picture] {
        let size = try FFmpeg.probe(path, "stream=width,height").split(whereSeparator: \.isWhitespace).compactMap {
            Int($0)
        }
        try #require(size.count == 2, "\(path) has no picture")
        let height = width * size[1] / size[0]
        let data = try FFmpeg.run([
            "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
            "scale=\(width):\(height):flags=area,format=rgb24", "-f", "rawvideo", "-",
        ]).stdout
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count, by: width * height * 3).map {
            Picture(width: width, height: height, bytes: bytes[$0..<$0 + width * height * 3])
        }
    }

    /// The integrated loudness by ffmpeg's meter, in LUFS.
    func loudness() throws -> Double {
        let output = try Command.run([
            "ffmpeg", "-hide_banner", "-nostdin", "-i", path, "-map", "0:a:0", "-af", "ebur128", "-f", "null", "-",
        ])
        let summary = output.stderr.components(separatedBy: "Summary:").last ?? ""
        let line = summary.split(separator: "\n").first { $0.contains("I:") }
        return try #require(line?.split(separator: " ").compactMap { Double($0) }.first, "\(output)")
    }
}

/// A picture in RGB whose places are shares of its width and height.
struct Picture {
    let width: Int
    let height: Int
    fileprivate let bytes: ArraySlice<UInt8>

    fileprivate init(width: Int, height: Int, bytes: ArraySlice<UInt8>) {
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    func pixel(_ x: Int, _ y: Int) -> Shot.RGB {
        let start = bytes.startIndex + (y * width + x) * 3
        return Shot.RGB(Double(bytes[start]), Double(bytes[start + 1]), Double(bytes[start + 2]))
    }

    /// The mean colour of five by five pixels around a place.
    func color(_ x: Double, _ y: Double) -> Shot.RGB {
        let (column, row) = (Int(x * Double(width)), Int(y * Double(height)))
        var (sum, count) = (Shot.RGB(0, 0, 0), 0.0)
        for y in max(0, row - 2)...min(height - 1, row + 2) {
            for x in max(0, column - 2)...min(width - 1, column + 2) {
                let value = pixel(x, y)
                sum = Shot.RGB(sum.red + value.red, sum.green + value.green, sum.blue + value.blue)
                count += 1
            }
        }
        return Shot.RGB(sum.red / count, sum.green / count, sum.blue / count)
    }

    /// The mean brightness of the whole picture, 0 … 255.
    var brightness: Double {
        bytes.withUnsafeBufferPointer { Double($0.reduce(0) { $0 + Int($1) }) / Double($0.count) }
    }

    /// Where the pixels of a colour are: their share of the picture, and the middle of them.
    func find(x: Range<Double> = 0..<1, y: Range<Double> = 0..<1, _ isWanted: (Shot.RGB) -> Bool) -> (
        share: Double, x: Double, y: Double
    ) {
        var (count, sumX, sumY) = (0, 0, 0)
        for row in Int(y.lowerBound * Double(height))..<Int(y.upperBound * Double(height)) {
            for column in Int(x.lowerBound * Double(width))..<Int(x.upperBound * Double(width))
            where isWanted(pixel(column, row)) {
                count += 1
                sumX += column
                sumY += row
            }
        }
        let total = Double(max(1, count))
        return (
            Double(count) / Double(width * height), Double(sumX) / total / Double(width),
            Double(sumY) / total / Double(height)
        )
    }

    // MARK: What is in the cookbook's media

    /// The orange sail of beach.mp4.
    func sail(x: Range<Double> = 0..<1, y: Range<Double> = 0..<1) -> (share: Double, x: Double, y: Double) {
        find(x: x, y: y) { $0.red > 190 && $0.green < 135 && $0.blue < 110 }
    }

    /// The source time of beach.mp4 that the picture shows: the sail moves by 90 of 640 pixels a
    /// second.
    var beachTime: Double? {
        let found = sail()
        return found.share > 0.001 ? (found.x * 640 - 26) / 90 : nil
    }

    /// The share of the picture that is white, as titles are. In the media only the beach's foam
    /// is, at 0.78 … 0.84 of the height.
    func white(y: Range<Double> = 0..<0.75) -> Double {
        find(y: y) { min($0.red, $0.green, $0.blue) > 228 && $0.blue > 235 }.share
    }

    /// The share that the sun's disc takes.
    var sun: Double { find { $0.red > 245 && $0.green > 245 && (180..<228).contains($0.blue) }.share }
}

extension Sound {
    /// The amplitude of one frequency, by Goertzel's algorithm.
    func amplitude(of frequency: Double, _ start: Double, _ length: Double) -> Double {
        let part = samples[Int(start * Self.rate)..<min(samples.count, Int((start + length) * Self.rate))]
        let factor = 2 * cos(2 * Double.pi * frequency / Self.rate)
        var (last, before) = (0.0, 0.0)
        for sample in part { (last, before) = (Double(sample) + factor * last - before, last) }
        let power = last * last + before * before - factor * last * before
        return 2 * max(0, power).squareRoot() / Double(max(1, part.count))
    }
}

/// A colour as the cookbook's media have it.
enum Paint {
    static let wall = Shot.RGB(0x8f, 0xb8, 0xc4)
    static let shirt = Shot.RGB(40, 96, 150)
}
