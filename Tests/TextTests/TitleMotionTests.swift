import Draft
import TestSupport
import Testing
import Values

@testable import Text

/// Texts whose parts move.
@Suite struct TitleMotionTests {
    private static let canvas = Canvas.Size(width: 640, height: 360)
    private func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }

    private func moving(_ text: String, _ edit: (inout Title) -> Void) throws -> MovingTitle {
        var title = Title(text)
        title.size = 50
        edit(&title)
        return try MovingTitle(title, canvas: Self.canvas)
    }

    private func entrance(
        _ kind: Entrance.Kind, _ duration: Double = 1, by unit: Entrance.Unit = .whole, stagger: Double = 0
    ) -> Entrance {
        var entrance = Entrance(kind, duration: seconds(duration), easing: .linear)
        (entrance.unit, entrance.stagger) = (unit, seconds(stagger))
        return entrance
    }

    private func ink(_ bitmap: TitleBitmap, _ counts: ([UInt8]) -> Bool = { $0[3] > 127 }) -> (
        pixels: Int, left: Int, right: Int
    ) {
        var found = (pixels: 0, left: Int.max, right: Int.min)
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width {
                let place = 4 * (y * bitmap.width + x)
                guard counts(Array(bitmap.rgba[place..<place + 4])) else { continue }
                found = (found.pixels + 1, min(found.left, bitmap.x + x), max(found.right, bitmap.x + x))
            }
        }
        return found
    }

    // MARK: Parts

    @Test(arguments: [
        ("Hello world", 1, 2, 10), ("one\ntwo three", 2, 3, 11), ("e\u{301}a", 1, 1, 2), ("👩‍👩‍👧 🇫🇷", 1, 2, 2),
        ("", 0, 0, 0), ("   ", 0, 0, 0),
    ])
    func `parts are counted as people see them`(text: String, lines: Int, words: Int, letters: Int) throws {
        let laid = try LaidTitle(Title(text), canvas: Self.canvas)
        #expect(laid.counts.lines == lines && laid.counts.words == words && laid.counts.letters == letters)
    }

    @Test(.enabled(if: hasFont(for: "لا"), "no font with Arabic letters is installed"))
    func `a ligature is one part, and words run from the right`() throws {
        let laid = try LaidTitle(Title("سلام لا"), canvas: Self.canvas)
        #expect(laid.counts.words == 2 && laid.counts.letters < 6)
        let first = laid.areas.filter { $0.word == 0 }.map(\.area.left).min() ?? 0
        let second = laid.areas.filter { $0.word == 1 }.map(\.area.left).max() ?? 0
        #expect(first > second)
        #expect(laid.areas.map(\.offset) == laid.areas.map(\.offset).sorted())
    }

    @Test(.enabled(if: hasFont(for: "ภาษาไทย"), "no font with Thai letters is installed"))
    func `scripts without spaces have words`() throws {
        let laid = try LaidTitle(Title("ภาษาไทยง่าย"), canvas: Self.canvas)
        #expect(laid.counts.words >= 2 && laid.counts.letters > laid.counts.words)
    }

    // MARK: Rest

    @Test func `at rest it is the title that it is without motion`() throws {
        let text = "Hello, world\nمرحبا 🎬"
        let plain = try TitleProbe(text) { ($0.size, $0.outlineWidth) = (50, 3) }.bitmap
        for unit in Entrance.Unit.allCases {
            let title = try moving(text) {
                $0.outlineWidth = 3
                $0.enter = entrance(.slideLeft, by: unit, stagger: unit == .whole ? 0 : 0.01)
            }
            #expect(try title.bitmap(at: seconds(5)) == plain)
            #expect(title.state(at: seconds(5)) == [] && title.state(at: seconds(0.5)) == nil)
        }
    }

    /// What is painted from parts is what is painted at once, but for the rounding where they meet.
    @Test func `parts in their places are the whole`() throws {
        for text in ["Hello, world", "سلام لا نمस्ते", "ff fi 🎬 ÀÉ"] {
            let plain = try TitleProbe(text) { ($0.size, $0.outlineWidth) = (50, 3) }.bitmap
            let painted = try moving(text) {
                $0.outlineWidth = 3
                // A word that the text has not is said: nothing is lit, and all is painted.
                $0.spoken = [.init(TimeRange(from: .zero, to: seconds(1)), word: 99)]
            }.bitmap(at: .zero)
            func at(_ bitmap: TitleBitmap, _ x: Int, _ y: Int) -> [Int] {
                guard (bitmap.x..<bitmap.x + bitmap.width).contains(x),
                    (bitmap.y..<bitmap.y + bitmap.height).contains(y)
                else { return [0, 0, 0, 0] }
                let place = 4 * ((y - bitmap.y) * bitmap.width + x - bitmap.x)
                let alpha = Int(bitmap.rgba[place + 3])
                return bitmap.rgba[place..<place + 3].map { Int($0) * alpha / 255 } + [alpha]
            }
            var different = 0
            for y in 0..<360 {
                for x in 0..<640 where zip(at(plain, x, y), at(painted, x, y)).contains(where: { abs($0 - $1) > 40 }) {
                    different += 1
                }
            }
            #expect(different < 60, "\(text): \(different) pixels")
        }
    }

    // MARK: Motion

    @Test func `what is typed grows letter by letter`() throws {
        for text in ["Typing this", "مرحبا بالعالم", "ok 🎬🌄"] {
            let title = try moving(text) { $0.enter = Entrance(.type, duration: seconds(2)) }
            let pixels = try stride(from: 0.0, through: 2.2, by: 0.1).map {
                ink(try title.bitmap(at: seconds($0))).pixels
            }
            #expect(pixels.first == 0 && zip(pixels, pixels.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(pixels[10] > 0 && pixels[10] < pixels[20] && pixels[20] == pixels[22])
        }
    }

    @Test func `letters come one after the other`() throws {
        let title = try moving("HHHHH") { $0.enter = entrance(.fade, 0.5, by: .letter, stagger: 0.5) }
        let whole = ink(try title.bitmap(at: seconds(10)))
        let half = ink(try title.bitmap(at: seconds(1.25)))
        #expect(half.left == whole.left && half.right < whole.right && half.pixels < whole.pixels * 2 / 3)
        #expect(ink(try title.bitmap(at: .zero)).pixels == 0)
    }

    @Test func `a slide moves by parts of pixels`() throws {
        let title = try moving("I") { $0.enter = entrance(.slideLeft, 10) }
        let rest = try title.bitmap(at: seconds(20))
        func middle(_ time: Double) throws -> Double {
            let bitmap = try title.bitmap(at: seconds(time))
            var (sum, weight) = (0.0, 0.0)
            for place in stride(from: 0, to: bitmap.rgba.count, by: 4) {
                let alpha = Double(bitmap.rgba[place + 3])
                sum += alpha * Double(bitmap.x + place / 4 % bitmap.width)
                weight += alpha
            }
            return sum / max(1, weight)
        }
        let places = try [9.90, 9.91, 9.92, 9.93].map(middle)
        let steps = zip(places, places.dropFirst()).map { $0 - $1 }
        #expect(steps.allSatisfy { abs($0 - steps[0]) < 0.1 && $0 > 0.2 && $0 < 0.5 }, "\(steps)")
        #expect(try title.bitmap(at: .zero).isEmpty || ink(try title.bitmap(at: .zero)).pixels == 0)
        #expect(rest.width > 0)
    }

    @Test(arguments: Entrance.Kind.allCases)
    func `each kind comes and goes`(kind: Entrance.Kind) throws {
        let title = try moving("HOH") {
            $0.outlineWidth = 2
            $0.enter = entrance(kind)
            $0.leave = entrance(kind)
            $0.end = seconds(5)
        }
        let rest = ink(try title.bitmap(at: seconds(2.5))).pixels
        let (first, last) = (ink(try title.bitmap(at: .zero)).pixels, ink(try title.bitmap(at: seconds(4.999))).pixels)
        #expect(first < rest / 8 && last < rest / 8, "\(kind): \(first), \(rest), \(last)")
        let (early, late) = (try title.bitmap(at: seconds(0.5)), try title.bitmap(at: seconds(4.5)))
        #expect(early != late || [.fade, .zoom, .pop, .spin, .blur, .type].contains(kind))
        #expect(early.width <= 640 && early.height <= 360)
    }

    @Test func `the background of parts fades in, that of a whole moves along`() throws {
        func panel(_ unit: Entrance.Unit, _ time: Double) throws -> (pixels: Int, left: Int, right: Int) {
            let title = try moving("HH") {
                $0.background = Color(red: 0, green: 0, blue: 255)
                $0.enter = entrance(.slideRight, 1, by: unit)
            }
            return ink(try title.bitmap(at: seconds(time))) {
                $0[2] > 200 && $0[0] < 50 && $0[3] > 60 && $0[3] < 255 || $0 == [0, 0, 255, 255]
            }
        }
        let rest = try panel(.whole, 3)
        #expect(try panel(.whole, 0.5).left < rest.left - 50)
        #expect(try panel(.letter, 0.5).left == rest.left)
    }

    // MARK: Words

    @Test func `the word that is said has its colour`() throws {
        let title = try moving("one two three") {
            $0.highlight = Color(red: 255, green: 0, blue: 0)
            $0.spoken = (0..<3).map {
                .init(TimeRange(from: seconds(Double($0)), to: seconds(Double($0) + 0.8)), word: $0)
            }
        }
        let red: ([UInt8]) -> Bool = { $0[3] > 127 && $0[1] < 50 }
        let lit = try [0.5, 1.5, 2.5].map { ink(try title.bitmap(at: seconds($0)), red) }
        #expect(lit.allSatisfy { $0.pixels > 100 } && lit[0].right < lit[1].left && lit[1].right < lit[2].left)
        #expect(ink(try title.bitmap(at: seconds(0.9)), red).pixels == 0)
        #expect(title.state(at: seconds(1.5)) == [1] && title.state(at: seconds(0.9)) == [])
    }

    /// Neither an entrance that is over, nor a leaving or a word that is to come, has a say in how
    /// fine the parts are.
    @Test func `a frame is the same in every part of its time`() throws {
        // A scale that is 1 for a while is a constant in some parts, and not in others.
        let growing = Title.Path(
            scale: .keyframes([(0, 1.0), (1.9, 1), (4, 1.4)].map { .init(time: seconds($0.0), value: [$0.1]) }))
        for path in [nil, Title.Path(scale: .constant(0.9), rotation: .constant(10)), growing] {
            var title = Title("Row row\nyour boat")
            (title.size, title.outlineWidth) = (50, 6)
            title.outlineColor = Color(red: 255, green: 0, blue: 0, alpha: 99)
            (title.enter, title.leave) = (
                entrance(.slideUp, 0.2, by: .letter, stagger: 0.02), entrance(.fade, 0.5, by: .word)
            )
            (title.path, title.end) = (path, seconds(4))
            title.spoken = (0..<2).map {
                .init(TimeRange(from: seconds(1.2 + Double($0)), to: seconds(1.6 + Double($0))), word: $0)
            }
            let whole = try MovingTitle(title, canvas: Self.canvas)
            for time in [0.3, 1, 1.4, 1.8, 2.4, 3, 3.6].map(seconds) {
                let part = title.trimmed(to: TimeRange(start: time, duration: Time(flicks: 1)))
                let alone =
                    part.hasMotion
                    ? try MovingTitle(part, canvas: Self.canvas).bitmap(at: time)
                    : try TitleRasterizer.render(part, canvas: Self.canvas)
                #expect(try whole.bitmap(at: time) == alone, "\(time)")
            }
        }
    }

    @Test func `a text that moves on a path turns and grows about its anchor`() throws {
        let title = try moving("H") {
            $0.path = .init(
                position: .keyframes([
                    .init(time: .zero, value: [100, 180]), .init(time: seconds(2), value: [500, 180]),
                ]),
                scale: .keyframes([.init(time: .zero, value: [1]), .init(time: seconds(2), value: [2])]))
        }
        let (start, end) = (ink(try title.bitmap(at: .zero)), ink(try title.bitmap(at: seconds(2))))
        #expect(abs((start.left + start.right) / 2 - 100) <= 2 && abs((end.left + end.right) / 2 - 500) <= 3)
        #expect(abs((end.right - end.left) - 2 * (start.right - start.left)) <= 6)
    }

    @Test func `numbers out of all reason draw something or nothing`() throws {
        for value in [1e300, -1e300, 1e9] {
            let title = try moving("H") {
                $0.path = .init(
                    position: .constant([value, value]), scale: .constant(value), rotation: .constant(value))
            }
            let bitmap = try title.bitmap(at: .zero)
            #expect(bitmap.width <= 640 && bitmap.height <= 360)
        }
    }

    /// Small parts with wide shadows would be large: they become coarser.
    @Test func `memory is bounded`() throws {
        let text = String(repeating: "word ", count: 600)
        let title = try moving(text) {
            ($0.size, $0.shadow) = (12, .init(.black, offset: .init(x: 0, y: 0), blur: 200))
            $0.enter = entrance(.fade, 1, by: .letter, stagger: 0.001)
        }
        #expect(try title.bitmap(at: seconds(1)).width <= 640)
    }
}
