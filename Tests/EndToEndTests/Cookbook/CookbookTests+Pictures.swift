import Foundation
import TestSupport
import Testing

extension EndToEnd.CookbookTests {
    static let pictures: [String: Check] = [
        "ken_burns_in": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            // The crop ends at 0.45 of each side, so the sun becomes 1 / 0.45² times as large.
            #expect(abs(pictures[119].sun / pictures[0].sun - 4.94) < 0.6)
            #expect(pictures[60].sun > 1.2 * pictures[0].sun)
        },
        "ken_burns_out": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 150)
            // The first photo begins without the sun and ends with all of it.
            #expect(pictures[0].sun == 0 && pictures[44].sun > 0.005)
        },
        "circle": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            // The circle's top, and the corner of the square around it, where the city shows.
            #expect(pictures[60].color(545 / 640, 201 / 360).distance(Paint.wall) < 25)
            #expect(pictures[60].color(475 / 640, 195 / 360).distance(Paint.wall) > 60)
            #expect(pictures[60].color(545 / 640, 330 / 360).distance(Paint.shirt) < 30)
        },
        "split_screen": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            #expect(pictures[60].color(0.1, 0.05).blue > 200 && pictures[60].color(0.9, 0.05).blue < 100)
            #expect(pictures[60].find(x: 0.495..<0.505) { min($0.red, $0.green, $0.blue) > 220 }.share > 0.004)
        },
        "watermark": { dish in
            let (marked, plain) = (try dish.pictures()[45], try Dish.input("beach.mp4").pictures()[45])
            // White at six tenths.
            let below = plain.color(584 / 640, 54 / 360)
            #expect(marked.color(584 / 640, 54 / 360).distance(below.mixed(Shot.RGB(255, 255, 255), 0.6)) < 12)
            #expect(marked.color(0.2, 0.15).distance(plain.color(0.2, 0.15)) < 4)
        },
        "green_screen": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            for picture in [pictures[0], pictures[60], pictures[119]] {
                #expect(picture.find { $0.green > $0.red + 60 && $0.green > $0.blue + 60 }.share < 0.0005)
                #expect(picture.find { $0.distance(Paint.shirt) < 25 }.share > 0.03)
                #expect(picture.sun > 0.003)
            }
        },
        "vertical": { dish in
            let pictures = try dish.pictures(width: 180)
            let movie = try dish.movie()
            #expect(movie.picture?.width == 360 && movie.picture?.height == 640 && pictures.count == 120)
            // First the whole picture on a blurred one, then a part of it that fills the canvas.
            #expect(pictures[30].color(0.5, 0.03).blue > 150 && pictures[30].sun > 0.001)
            #expect(pictures[90].sun > 5 * pictures[30].sun)
        },
        "blur_region": { dish in
            let (blurred, plain) = (try dish.pictures()[60], try Dish.input("interview.mp4").pictures()[60])
            let eyes = { (picture: Picture) in
                picture.find(y: 0.3..<0.45) { max($0.red, $0.green, $0.blue) < 60 }.share
            }
            #expect(eyes(plain) > 0.0005 && eyes(blurred) == 0)
            // The rest is as it was.
            #expect(blurred.color(0.5, 0.8).distance(plain.color(0.5, 0.8)) < 4)
            #expect(blurred.color(0.51, 0.51).distance(plain.color(0.51, 0.51)) < 8)
        },
        "pixelate": { dish in
            // Rows 4 and 11 of each tile are equal, where the boat's edges make them differ in the
            // source.
            let difference = { (picture: Picture) in
                let distances = (0..<6).flatMap { tile in
                    (165..<245).map { x in
                        picture.pixel(x, 136 + 16 * tile + 4).distance(picture.pixel(x, 136 + 16 * tile + 11))
                    }
                }
                return distances.reduce(0, +) / Double(distances.count)
            }
            let (covered, plain) = (
                try dish.pictures(width: 640)[60], try Dish.input("beach.mp4").pictures(width: 640)[60]
            )
            #expect(difference(plain) > 20 && difference(covered) < 4)
            #expect(covered.sail().share > 0.003)
        },
        "black_and_white": { dish in
            let pictures = try dish.pictures()
            let (gray, shaded) = (pictures[30], pictures[90])
            #expect(gray.find { abs($0.red - $0.blue) > 12 }.share < 0.001)
            #expect(shaded.sail().share > 0.003)
            let plain = try Dish.input("beach.mp4").pictures()[90]
            #expect(shaded.color(0.02, 0.03).blue < 0.6 * plain.color(0.02, 0.03).blue)
            #expect(shaded.color(0.5, 0.5).distance(plain.color(0.5, 0.5)) < 12)
        },
        "nested": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            // The card covers the middle. Its upper left corner rises while it turns.
            #expect(pictures.allSatisfy { $0.color(0.5, 0.35).red < 110 })
            #expect(pictures[60].white() > 0.001)
            #expect(pictures[0].color(0.29, 0.15).blue > 150 && pictures[119].color(0.29, 0.15).blue < 110)
        },
        "progress_bar": { dish in
            let pictures = try dish.pictures()
            for (index, share) in [(30, 0.25), (60, 0.5), (90, 0.75), (119, 0.99)] {
                let row = pictures[index].find(y: 0.985..<1) { $0.red > 200 && $0.green < 110 }.share
                let all = pictures[index].find(y: 0.985..<1) { _ in true }.share
                #expect(abs(row / all - share) < 0.03, "\(index): \(row / all)")
            }
        },
    ]
}
