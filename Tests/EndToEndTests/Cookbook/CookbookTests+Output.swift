import Foundation
import TestSupport
import Testing

extension EndToEnd.CookbookTests {
    static let output: [String: Check] = [
        "podcast": { dish in
            let movie = try dish.movie()
            #expect(movie.picture?.width == 480 && movie.picture?.height == 480 && movie.frames == 180)
            #expect(abs(try dish.sound().duration - 6) < 0.1)
            let pictures = try dish.pictures()
            let bars = [30, 90, 150].map { index in
                pictures[index].find { $0.distance(Shot.RGB(0xf4a261)) < 60 }
            }
            #expect(bars.allSatisfy { $0.share > 0.005 })
            // They move: the sound that is heard now is in the middle.
            #expect(abs(bars[0].x - bars[2].x) > 0.1)
            #expect(pictures[90].white() > 0.004)
        },
        "gif": { dish in
            #expect(try FFmpeg.probe(dish.path, "stream=codec_name") == "gif")
            let pictures = try dish.pictures()
            #expect(pictures.count == 14)
            let (first, last) = (try #require(pictures[0].beachTime), try #require(pictures[12].beachTime))
            #expect(abs(last - first - 1.8) < 0.15)
        },
        "contact_sheet": { dish in
            let sheet = try #require(try dish.pictures(width: 640).first)
            #expect(sheet.height == 270)
            // The boat is further to the right in each cell; it has come in from the second one on.
            let boats = (0..<12).map { cell in
                let (x, y) = (Double(cell % 4) / 4, Double(cell / 4) / 3)
                return sheet.sail(x: x..<x + 0.25, y: y..<y + 1.0 / 3).x - x
            }
            for (left, right) in zip(boats.dropFirst(), boats.dropFirst(2)) {
                #expect(abs(right - left - 0.5 * 90 / 640 / 4) < 0.006, "\(boats)")
            }
        },
    ]
}
