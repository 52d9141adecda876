import Foundation
import TestSupport
import Testing

extension EndToEnd.CookbookTests {
    static let sound: [String: Check] = [
        "music_crossfade": { dish in
            let sound = try dish.sound()
            #expect(abs(sound.duration - 10) < 0.1)
            // The songs' bass notes: A2 at the first one's beginning, G3 at the second one's end.
            let (first, second) = (110.0, 196.0)
            #expect(sound.amplitude(of: first, 0.5, 1) > 4 * sound.amplitude(of: second, 0.5, 1))
            #expect(sound.amplitude(of: second, 8.3, 1) > 4 * sound.amplitude(of: first, 8.3, 1))
            #expect(sound.level(4.5, 1) > sound.level(2, 1) - 6)
        },
        "ducking": { dish in
            let (sound, song) = (try dish.sound(), try Dish.input("song.m4a").sound())
            // The bass at 87.3 Hz lies below the voice.
            let during = sound.amplitude(of: 87.31, 2.5, 1) / song.amplitude(of: 87.31, 2.5, 1)
            #expect(abs(20 * log10(during) + 15) < 3, "\(20 * log10(during)) dB")
            let before = sound.amplitude(of: 110, 0.3, 1) / song.amplitude(of: 110, 0.3, 1)
            #expect(abs(20 * log10(before)) < 1, "\(20 * log10(before)) dB")
        },
        "loudness": { dish in
            let (before, after) = (try Dish.input("interview.mp4").loudness(), try dish.loudness())
            #expect(before < -20 && abs(after + 14) < 0.4)
        },
        "replace_sound": { dish in
            let (sound, city) = (try dish.sound(), try Dish.input("city.mp4").sound())
            #expect(sound.amplitude(of: 98, 1, 1) < 0.1 * city.amplitude(of: 98, 1, 1))
            #expect(sound.amplitude(of: 110, 0.4, 0.6) > 0.05)
            #expect(sound.level(3.9, 0.1) < sound.level(2, 1) - 12)
        },
        "j_cut": { dish in
            let (sound, pictures) = (try dish.sound(), try dish.pictures())
            #expect(pictures.count == 180)
            // The voice says the end of its first sentence while the beach is seen.
            #expect(sound.level(2.02, 0.25) > sound.level(1.5, 0.4) + 8)
            #expect(pictures[66].beachTime != nil && pictures[90].beachTime == nil)
        },
    ]
}
