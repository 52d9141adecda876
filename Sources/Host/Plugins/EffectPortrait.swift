import Composition
import Delivery
import Draft
import Foundation
import HostCore
import Values

/// A picture that shows an effect with its default values on a still image, made like any other
/// snapshot. A transition is shown halfway from the image to a negative of the test picture, a
/// source on the test picture's canvas.
struct EffectPortrait {
    let effect: EffectDescriptor
    /// The absolute path of the image; nil: a test picture.
    let image: String?

    /// The effect is shown after half of its range, so that moving effects have moved.
    private static let duration = Time(frame: 60, rate: Rational(30))

    /// Writes the picture.
    /// - Throws: if the effect or the image cannot be shown, or the file cannot be written.
    func take(_ session: HostSession, into file: OutputFile, _ staging: StagingFolder) async throws {
        guard [.filter, .transition, .source].contains(effect.kind) else {
            throw HostError(
                .data,
                "Only filters, transitions and sources can be shown as a picture; ‘\(effect.id)’ is \(effect.kind.forPeople)."
            )
        }
        guard effect.kind != .source || image == nil else {
            throw HostError(.usage, "‘\(effect.id)’ is a source and takes no input image; leave out ‘--image’.")
        }
        guard let format = StillFormat(suffix: (file.path as NSString).pathExtension) else {
            throw HostError(.usage, "The picture ‘\(file.path)’ must end in .png or .jpg.")
        }
        let temporary = staging.newPath()
        let draft = try await draft(session, temporary)
        let plan = try SnapshotPlan(draft, catalog: session.catalog, whole: true)
        let taker = SnapshotTaker(session: session, plan: plan, format: format, skips: false, staging: staging)
        if let failure = await taker.take([(plan.composition.frameCount / 2, file)])[0] { throw failure }
    }

    /// Makes the draft.
    /// - Parameter temporary: the prefix of the names of temporary files.
    private func draft(_ session: HostSession, _ temporary: String) async throws -> Draft {
        var draft = Draft(canvas: Canvas(frameRate: Rational(30)))
        let plugin = PluginEffect(effectID: effect.id)
        if effect.kind == .source {
            draft.canvas.size = Canvas.Size(width: TestPicture().width, height: TestPicture().height)
            draft.clips = [Clip(plugin, duration: Self.duration)]
            return draft
        }
        let (generated, negative) = (temporary + ".ppm", temporary + ".negative.ppm")
        if image == nil { try TestPicture().write(to: generated) }
        var paths = [image ?? generated]
        if effect.kind == .transition {
            try TestPicture(isNegative: true).write(to: negative)
            paths.append(negative)
        }
        try await session.probe(paths.map { DraftFile($0) })
        if case .unreadable(let why) = session.catalog.media[paths[0]] { throw HostError(.data, why) }
        draft.clips = paths.map { Clip(path: $0, content: .image(duration: Self.duration)) }
        if effect.kind == .transition {
            draft.clips[1].transition = Transition(.plugin(plugin), duration: Self.duration)
        } else {
            draft.effects = [Effect(.picture(.filter(plugin)))]
        }
        return draft
    }
}

/// A picture that makes most effects visible: colour bars, a grey ramp, all hues, round and
/// straight edges, fine lines.
struct TestPicture {
    let width = 640
    let height = 360
    var isNegative = false

    /// Writes the picture as a binary portable pixmap.
    func write(to path: String) throws(HostError) {
        var data = Data("P6\n\(width) \(height)\n255\n".utf8)
        data.reserveCapacity(data.count + 3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let color = isNegative ? SIMD3(repeating: 1) - color(x, y) : color(x, y)
                data.append(contentsOf: [color.x, color.y, color.z].map { UInt8(min(max($0, 0), 1) * 255 + 0.5) })
            }
        }
        do {
            try data.write(to: URL(fileURLWithPath: path))
        } catch {
            throw HostError(
                .cannotCreate, "Cannot write the test picture to ‘\(path)’: \(String(cString: strerror(errno))).")
        }
    }

    private func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
        let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
        // A sphere lit from the upper left, with a soft edge of one pixel.
        let (dx, dy) = (Double(x) - 320, Double(y) - 176)
        let radius = (dx * dx + dy * dy).squareRoot()
        let light = max(0, 1 - ((dx + 36) * (dx + 36) + (dy + 40) * (dy + 40)).squareRoot() / 150)
        let ball = SIMD3(0.93, 0.68, 0.54) * (0.35 + 0.75 * light)
        let cover = min(max(100 - radius, 0), 1)
        return ball * cover + background(u, v, x, y) * (1 - cover)
    }

    private func background(_ u: Double, _ v: Double, _ x: Int, _ y: Int) -> SIMD3<Double> {
        switch v {
        case ..<0.4:
            // White, yellow, cyan, green, magenta, red, blue, at 75 %.
            let bar = Int(u * 7)
            return SIMD3([0, 1, 4, 5].contains(bar) ? 0.75 : 0, bar < 4 ? 0.75 : 0, bar % 2 == 0 ? 0.75 : 0)
        case ..<0.7: return Self.hue(u) * (1.4 - v) + SIMD3(repeating: 0.1)
        case ..<0.85: return SIMD3(repeating: u)
        default:
            // Lines of 1, 2, 4 and 8 pixels.
            return SIMD3(repeating: (x >> Int(u * 4)) % 2 == 0 ? 0.9 : 0.1)
        }
    }

    private static func hue(_ u: Double) -> SIMD3<Double> {
        func channel(_ shift: Double) -> Double { 0.5 + 0.5 * cos(2 * .pi * (u - shift)) }
        return SIMD3(channel(0), channel(1 / 3), channel(2 / 3))
    }
}
