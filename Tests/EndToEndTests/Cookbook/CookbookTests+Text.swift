import Foundation
import TestSupport
import Testing

extension EndToEnd.CookbookTests {
    static let text: [String: Check] = [
        "typing": { dish in
            let pictures = try dish.pictures(width: 640)
            let shares = [10, 40, 60, 78, 110].map { pictures[$0].white() }
            #expect(shares[0] < 0.0005)
            #expect(shares[1] > 0.001 && shares[2] > 1.2 * shares[1] && shares[3] > 1.2 * shares[2])
            #expect(abs(shares[4] - shares[3]) < 0.15 * shares[4])
        },
        "lower_third": { dish in
            let pictures = try dish.pictures()
            let orange = { (index: Int) in
                pictures[index].find(x: 0..<0.5, y: 0.6..<1) { $0.distance(Shot.RGB(0xe4572e)) < 30 }.share
            }
            #expect(orange(5) == 0 && orange(60) > 0.01 && orange(118) == 0)
            // It is wiped to the right.
            #expect(orange(18) > 0.1 * orange(60) && orange(18) < 0.9 * orange(60))
        },
        "credits": { dish in
            let pictures = try dish.pictures()
            #expect(pictures.count == 120)
            let middles = [30, 60, 90].map { pictures[$0].find { $0.red > 150 }.y }
            #expect(middles[0] > middles[1] + 0.1 && middles[1] > middles[2] + 0.1)
            #expect(pictures[60].white() > 0.005 && pictures[0].white() < 0.001)
        },
        "subtitles_burned": { dish in
            let pictures = try dish.pictures(width: 640)
            #expect(pictures.count == 180)
            // The first cue, the pause, the second cue.
            let cue = { pictures[$0].white(y: 0.75..<1) }
            #expect(cue(30) > 0.002 && cue(82) < 0.0002 && cue(120) > 0.002)
        },
        "subtitles_track": { dish in
            #expect(try FFmpeg.probe(dish.path, "stream=codec_name", stream: "s:0") == "mov_text")
            #expect(try FFmpeg.probe(dish.path, "stream_tags=language", stream: "s:0") == "eng")
            let text = try FFmpeg.run(["-i", dish.path, "-map", "0:s:0", "-f", "srt", "-"]).text
            #expect(text.contains("This is the first thing I say,") && text.contains("00:00:03,100 --> 00:00:05,600"))
            #expect(try dish.pictures(width: 640)[30].white(y: 0..<1) < 0.0002)
        },
    ]
}
