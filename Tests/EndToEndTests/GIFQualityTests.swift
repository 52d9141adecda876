import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A GIF's colours beside those of ffmpeg's `palettegen` and `paletteuse`.
    @Suite struct GIFQualityTests {
        private static func gradient(
            _ file: String, _ expressions: (String, String, String), frames: Int
        ) throws -> String {
            try Footage.made(
                file,
                [
                    "-f", "lavfi", "-i", "color=black:size=266x120:rate=10:duration=\(Double(frames) / 10)", "-vf",
                    "format=gbrp,geq=r='\(expressions.0)':g='\(expressions.1)':b='\(expressions.2)'", "-c:v", "ffv1",
                ])
        }

        private static let contents = ["gradient", "moving gradient", "two axes", "film", "cartoon"]

        private static func content(_ name: String) throws -> String {
            switch name {
            case "gradient": try gradient("gif-still.mkv", ("X*250/265", "X*200/265", "255-X*255/265"), frames: 2)
            case "moving gradient":
                try gradient(
                    "gif-moving.mkv",
                    ("abs(mod(X+8*N,532)-266)*0.9", "40+Y/3", "200-abs(mod(X+8*N,532)-266)/2"), frames: 6)
            case "two axes": try gradient("gif-axes.mkv", ("X*255/265", "Y*2", "(X+Y)/2"), frames: 1)
            case "film": try Footage.pattern
            default:
                try gradient(
                    "gif-cartoon.mkv", ("60*floor(X/50)", "60*floor(Y/33)", "80*floor((X+Y)/150)"), frames: 3)
            }
        }

        private static func pixels(_ arguments: [String]) throws -> Data {
            try FFmpeg.run(arguments + ["-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"]).stdout
        }

        private static func error(_ gif: String, from frames: Data) throws -> Double {
            let made = try pixels(["-i", gif])
            try #require(made.count == frames.count && !made.isEmpty)
            let sum = zip(made, frames).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
            return (Double(sum) / Double(made.count)).squareRoot()
        }

        @Test(arguments: contents.prefix(2)) func `colours are as near as ffmpeg's`(name: String) throws {
            try checkColors(name)
        }

        @Suite struct Sweep {
            @Test(arguments: contents.dropFirst(2)) func `colours are as near as ffmpeg's`(name: String) throws {
                try GIFQualityTests().checkColors(name)
            }
        }

        private func checkColors(_ name: String) throws {
            let studio = try Studio()
            let range = name == "film" ? ", { range = { 0, 0.5 } }" : ""
            try studio.script("draft:add_clip(\(Self.content(name).lua)\(range))", size: (266, 120), fps: "10")
            try studio.render(to: "frames/")
            let ours = try studio.render(to: "ours.gif")
            let input = ["-framerate", "10", "-i", studio.file("frames/%04d.png")]
            let theirs = studio.file("theirs.gif")
            try FFmpeg.run(input + ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", theirs])
            let frames = try Self.pixels(input)
            let (own, other) = (try Self.error(ours, from: frames), try Self.error(theirs, from: frames))
            #expect(own <= other * 1.02 + 0.01, "\(own), ffmpeg \(other)")
        }
    }
}
