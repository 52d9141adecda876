import Foundation
import TestSupport
import Testing

/// The source time of beach.mp4 in one of the pictures, within the tenth of a second that the
/// sail's edges allow.
private func expectTime(
    _ expected: Double, _ pictures: [Picture], at index: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try #require(pictures.indices.contains(index), "\(pictures.count) pictures", sourceLocation: sourceLocation)
    let time = try #require(pictures[index].beachTime, "there is no sail", sourceLocation: sourceLocation)
    #expect(abs(time - expected) < 0.1, "\(time) s instead of \(expected) s", sourceLocation: sourceLocation)
}

extension EndToEnd.CookbookTests {
    static let timing: [String: Check] = [
        "first_video": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 210)
            #expect(pictures[45].white() > 0.01 && pictures[105].white() < 0.001)
            #expect(pictures[10].beachTime != nil && pictures[120].beachTime == nil)
            #expect(abs(try dish.sound().duration - 7) < 0.1)
        },
        "trim_and_join": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 165)
            try expectTime(1, pictures, at: 0)
            try expectTime(3, pictures, at: 59)
            #expect(pictures[60].beachTime == nil && pictures[104].color(0.5, 0.03).red < 60)
            #expect(pictures[105].color(0.1, 0.5).distance(Paint.wall) < 12)
        },
        "fade_black": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            #expect(pictures[0].brightness < 8 && pictures[119].brightness < 8)
            #expect(pictures[15].brightness > 0.3 * pictures[60].brightness)
            #expect(pictures[15].brightness < 0.7 * pictures[60].brightness)
            let sound = try dish.sound()
            #expect(sound.level(0, 0.1) < sound.level(1.5, 1) - 10)
            #expect(sound.level(3.9, 0.1) < sound.level(1.5, 1) - 10)
        },
        "dissolve": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            let (beach, city) = (pictures[28].color(0.1, 0.05), pictures[60].color(0.1, 0.05))
            #expect(pictures[45].color(0.1, 0.05).distance(beach.mixed(city, 0.5)) < 15)
            // The circle has opened in the middle and not yet at the corner.
            #expect(pictures[75].color(0.5, 0.9).distance(Paint.shirt) < 40)
            #expect(pictures[75].color(0.02, 0.05).distance(city) < 20)
        },
        "reverse": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 90)
            for (index, time) in [(0, 4), (30, 3), (60, 2), (89, 1.03)] {
                try expectTime(time, pictures, at: index)
            }
        },
        "boomerang": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            for (index, time) in [(0, 1), (30, 2), (59, 3), (60, 3), (90, 2), (119, 1.03)] {
                try expectTime(time, pictures, at: index)
            }
        },
        "speed": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 135)
            for (index, time) in [(15, 1), (44, 2.95), (75, 3.5), (120, 5)] {
                try expectTime(time, pictures, at: index)
            }
        },
        "speed_ramp": { dish in
            let pictures = try dish.pictures()
            // A second at four times the speed, three at half of it, and what lies between.
            try expectTime(1, pictures, at: 7)
            let last = pictures.count - 1
            let before = try #require(pictures[last - 31].beachTime)
            #expect(abs(try #require(pictures[last - 1].beachTime) - before - 0.5) < 0.06)
        },
        "freeze_text": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 135)
            for (index, time) in [(29, 2), (31, 2), (55, 2), (74, 2), (90, 2.5), (134, 4)] {
                try expectTime(time, pictures, at: index)
            }
            // The title's dark box.
            let box = [20, 55, 90].map { index in
                pictures[index].find(y: 0.72..<0.88) { $0.red < 85 && $0.green < 100 && $0.blue < 120 }.share
            }
            #expect(box[0] < 0.001 && box[1] > 0.03 && box[2] < 0.001)
        },
        "timelapse": { dish in
            let movie = try dish.movie()
            #expect(movie.frames == 36 && movie.picture?.frameRate == "12/1")
            let light = try dish.pictures().map(\.brightness)
            #expect(light[0] > light[17] + 10 && light[17] > light[35] + 10)
        },
    ]
}
