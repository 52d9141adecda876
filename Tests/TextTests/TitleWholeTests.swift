import Draft
import TestSupport
import Testing
import Values

@testable import Text

/// Texts that fade, grow and turn are one picture.
@Suite struct TitleWholeTests {
    static let canvas = Canvas.Size(width: 320, height: 180)
    private static func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }

    /// Premultiplied red, green, blue and alpha of the whole canvas.
    struct Field {
        var pixels: [SIMD4<Double>]

        init(_ bitmap: TitleBitmap, _ canvas: Canvas.Size = canvas) {
            pixels = Array(repeating: .zero, count: canvas.width * canvas.height)
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let place = 4 * (y * bitmap.width + x)
                    let alpha = Double(bitmap.rgba[place + 3])
                    let color = SIMD3(
                        Double(bitmap.rgba[place]), Double(bitmap.rgba[place + 1]), Double(bitmap.rgba[place + 2]))
                    pixels[(bitmap.y + y) * canvas.width + bitmap.x + x] = SIMD4(color * alpha / 255, alpha)
                }
            }
        }

        /// The largest difference of a channel.
        func distance(to other: Field, times share: Double = 1) -> Double {
            zip(pixels, other.pixels).reduce(0) { most, pair in
                let difference = pair.0 - pair.1 * share
                return max(most, abs(difference.max()), abs(difference.min()))
            }
        }

        /// The largest difference of alpha from one pixel to the next one in its row.
        func steepest() -> Double {
            zip(pixels, pixels.dropFirst()).reduce(0) { max($0, abs($1.0.w - $1.1.w)) }
        }
    }

    private static func entrance(_ kind: Entrance.Kind, _ unit: Entrance.Unit) -> Entrance {
        var entrance = Entrance(kind, duration: seconds(1), easing: .linear)
        entrance.unit = unit
        return entrance
    }

    /// Every combination of what is drawn of a title.
    static let looks: [(name: String, look: @Sendable (inout Title) -> Void)] = {
        let red = Color(red: 200, green: 30, blue: 30)
        let blue = Color(red: 20, green: 40, blue: 220)
        let fills: [(String, @Sendable (inout Title) -> Void)] = [
            ("opaque", { _ in }), ("translucent", { $0.color = Color(red: 255, green: 255, blue: 255, alpha: 140) }),
            ("gradient", { $0.gradient = .init([.white, Color(red: 0, green: 255, blue: 0, alpha: 80)], angle: 0) }),
            (
                "markup",
                { ($0.isMarkup, $0.text) = (true, "<span background='#40ff4080' color='#ffff00a0'>If</span>g") }
            ),
        ]
        let outlines: [(String, @Sendable (inout Title) -> Void)] = [
            ("no outline", { _ in }), ("outline", { ($0.outlineWidth, $0.outlineColor) = (5, red) }),
            (
                "faint outline",
                { ($0.outlineWidth, $0.outlineColor) = (5, Color(red: 200, green: 0, blue: 0, alpha: 100)) }
            ),
        ]
        let shadows: [(String, @Sendable (inout Title) -> Void)] = [
            ("no shadow", { _ in }), ("shadow", { $0.shadow = .init(blue, offset: .init(x: 9, y: 7), blur: 0) }),
            ("soft shadow", { $0.shadow = .init(Color(red: 0, green: 0, blue: 255, alpha: 180)) }),
        ]
        let backgrounds: [(String, @Sendable (inout Title) -> Void)] = [
            ("no box", { _ in }), ("box", { $0.background = Color(red: 90, green: 90, blue: 0) }),
            ("faint box", { $0.background = Color(red: 0, green: 90, blue: 90, alpha: 120) }),
        ]
        var looks: [(name: String, look: @Sendable (inout Title) -> Void)] = []
        for fill in fills {
            for outline in outlines {
                for shadow in shadows {
                    for box in backgrounds {
                        let look: @Sendable (inout Title) -> Void = { title in
                            for part in [fill.1, outline.1, shadow.1, box.1] { part(&title) }
                        }
                        looks.append(([fill.0, outline.0, shadow.0, box.0].joined(separator: ", "), look))
                    }
                }
            }
        }
        return looks
    }()

    private func field(_ text: String, at time: Double, _ edit: (inout Title) -> Void) throws -> Field {
        var title = Title(text)
        (title.size, title.font) = (70, "Serif Bold")
        edit(&title)
        guard title.hasMotion else { return Field(try TitleRasterizer.render(title, canvas: Self.canvas)) }
        return Field(try MovingTitle(title, canvas: Self.canvas).bitmap(at: Self.seconds(time)))
    }

    @Test func `a whole fades as a whole, in whatever look`() throws {
        for (name, look) in Self.looks {
            let rest = try field("fjQg", at: 0, look)
            for (isLeaving, share) in [(false, 0.5), (true, 0.3)] {
                let faded = try field("fjQg", at: isLeaving ? 5 - share : share) {
                    look(&$0)
                    if isLeaving {
                        ($0.leave, $0.end) = (Self.entrance(.fade, .whole), Self.seconds(5))
                    } else {
                        $0.enter = Self.entrance(.fade, .whole)
                    }
                }
                let distance = faded.distance(to: rest, times: share)
                #expect(distance <= 2, "\(name), leaving \(isLeaving): \(distance)")
            }
        }
    }

    /// Parts that fade with one opacity are the whole with that opacity, where none lies over
    /// another one's outline or shadow.
    @Test func `each part fades as a whole, in whatever look`() throws { try checkFades(.word) }

    @Suite struct Sweep {
        @Test(arguments: [Entrance.Unit.line, .letter])
        func `each part fades as a whole, in whatever look`(unit: Entrance.Unit) throws {
            try TitleWholeTests().checkFades(unit)
        }
    }

    private func checkFades(_ unit: Entrance.Unit) throws {
        for (name, look) in Self.looks where !name.contains("box") || name.contains("no box") {
            // One letter, so that all that is seen is one part.
            let text = { (title: inout Title) in
                look(&title)
                if title.isMarkup { title.text = "<span background='#40ff4080' color='#ffff00a0'>Q</span>" }
            }
            let rest = try field("Q", at: 0, text)
            for share in [0.25, 0.5, 0.9] {
                let faded = try field("Q", at: share) {
                    text(&$0)
                    $0.enter = Self.entrance(.fade, unit)
                }
                let distance = faded.distance(to: rest, times: share)
                #expect(distance <= 3, "\(name), \(share): \(distance)")
            }
        }
    }

    /// Neighbours overlap; nothing of an outline or a shadow is seen through a letter, whichever
    /// part it belongs to.
    @Test(arguments: [Entrance.Unit.word, .letter])
    func `inside letters there is nothing but the letter`(unit: Entrance.Unit) throws {
        func look(_ title: inout Title) {
            (title.outlineWidth, title.outlineColor, title.letterSpacing) = (4, Color(red: 255, green: 0, blue: 0), 8)
        }
        let letters = try field("HI HI", at: 0) { $0.letterSpacing = 8 }
        let faded = try field("HI HI", at: 0.5) {
            look(&$0)
            $0.enter = Self.entrance(.fade, unit)
        }
        for (place, letter) in letters.pixels.enumerated() where letter.w == 255 {
            let pixel = faded.pixels[place]
            #expect(abs(pixel.w - 127.5) <= 2 && abs(pixel.y - 127.5) <= 2, "\(place): \(pixel)")
        }
    }

    @Test func `a blur takes the whole, and nothing is more opaque than it`() throws {
        for unit in [Entrance.Unit.whole, .letter] {
            let blurred = try field("HOH", at: 0.5) {
                ($0.outlineWidth, $0.outlineColor, $0.enter) = (6, .white, Self.entrance(.blur, unit))
                $0.letterSpacing = 40
            }
            let most = blurred.pixels.reduce(0) { max($0, $1.w) }
            #expect(most > 90 && most <= 129, "\(unit): \(most)")
        }
    }

    // MARK: Scale

    private func scaled(_ scale: Double, size: Double = 60, _ edit: (inout Title) -> Void = { _ in }) throws -> Field {
        try field("O", at: 0) {
            ($0.size, $0.path) = (size, .init(scale: .constant(scale)))
            edit(&$0)
        }
    }

    @Test(arguments: [1.5, 2, 3, 5])
    func `a scaled text is as sharp as one of that size`(scale: Double) throws {
        let large = try field("O", at: 0) { $0.size = 30 * scale }
        let shown = try scaled(scale, size: 30)
        #expect(shown.steepest() >= large.steepest() - 25, "\(shown.steepest()), \(large.steepest())")
        // It is the same picture, but for the part of a pixel by which a line lies elsewhere.
        let (a, b) = (large.pixels.reduce(0) { $0 + $1.w }, shown.pixels.reduce(0) { $0 + $1.w })
        #expect(abs(a - b) < a / 50)
        let outlined = try scaled(scale, size: 30) { ($0.outlineWidth, $0.outlineColor) = (2, .black) }
        #expect(outlined.steepest() >= 150)
        let shadowed = try scaled(scale, size: 30) {
            $0.color = .clear
            $0.shadow = .init(.black, offset: .init(x: 4, y: 2), blur: 0)
        }
        #expect(shadowed.steepest() >= large.steepest() - 25, "an unblurred shadow is as sharp")
    }

    @Test func `parts that grow are as sharp`() throws {
        let pop = try field("O O", at: 0.5) {
            ($0.size, $0.enter) = (80, Self.entrance(.zoom, .letter))
            $0.path = .init(scale: .constant(4))
        }
        let large = try field("O", at: 0) { $0.size = 160 }
        #expect(pop.steepest() >= large.steepest() - 25)
        let said = try field("O", at: 0.5) {
            ($0.size, $0.path) = (50, .init(scale: .constant(3)))
            $0.spoken = [.init(TimeRange(from: .zero, to: Self.seconds(1)), word: 0)]
        }
        #expect(said.steepest() >= large.steepest() - 25)
    }

    /// Neither where outlines come from another size of the font, nor on the way to rest, does the
    /// picture jump.
    @Test(arguments: [0, 3.0])
    func `a scale that changes slowly does not jump`(outline: Double) throws {
        func look(_ title: inout Title) {
            title.outlineWidth = outline
            if outline > 0 { title.shadow = .init(.black) }
        }
        let rest = try field("O", at: 0) {
            $0.size = 60
            look(&$0)
        }
        // Outlines are counted in parts of a pixel, 64 of the size that they are taken in.
        #expect(try scaled(1.00001) { look(&$0) }.distance(to: rest) <= 10)
        for scale in [1.0, 1.999, 2.0, 3.9995] {
            let (before, after) = (try scaled(scale) { look(&$0) }, try scaled(scale + 0.001) { look(&$0) })
            #expect(before.distance(to: after) < 25, "\(scale): \(before.distance(to: after))")
        }
    }

    @Test(.enabled(if: hasFont(for: "😀", colors: true), "no font with colour emoji is installed"))
    func `emoji grow with the text`() throws {
        func pixels(_ scale: Double) throws -> Double {
            try field("😀", at: 0) { ($0.size, $0.path) = (20, .init(scale: .constant(scale))) }.pixels.reduce(0) {
                $0 + $1.w
            }
        }
        let (small, large) = (try pixels(1), try pixels(4))
        #expect(abs(large / small - 16) < 1)
        #expect(try pixels(1000) > 0)
    }
}
