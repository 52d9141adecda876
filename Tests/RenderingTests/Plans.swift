import Composition
import Delivery
import Draft
import Rendering
import TestSupport
import Values

/// Plans to render, made once: what a render does with them is fast, making them is not.
enum Plans {
    static let stateless = "org.test.pure"
    static let sound = "org.test.echo"
    static let soundPath = "/plugins/org.test.echo.so"

    /// Segments of two seconds.
    private static func draft(seconds: Double) -> Draft {
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: Rational(30)))
        var left = seconds
        while left > 0 {
            let length = min(left, 10)
            let range = TimeRange(start: .zero, duration: Time(seconds: length) ?? .zero)
            draft.clips.append(Clip(path: "/m/sound.mp4", content: .media(range: range)))
            left -= length
        }
        return draft
    }

    private static func plan(_ draft: Draft, in container: ExportSettings.Container = .mp4) throws -> RenderPlan {
        try RenderPlan(draft, catalog: catalog, container: container, libraries: "test")
    }

    /// The effect `org.test.dice` may make another picture each time.
    private static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        var dice = RandomDraft.effect("org.test.dice", .pure)
        dice.determinism = .none
        catalog.effects.append(dice)
        return catalog
    }()

    static func plain(seconds: Double) throws -> RenderPlan { try plan(draft(seconds: seconds)) }

    /// A picture effect over everything, and a filter of the sound.
    static func withPlugins(seconds: Double) throws -> RenderPlan {
        var draft = draft(seconds: seconds)
        draft.effects.append(Effect(.picture(.filter(PluginEffect(effectID: stateless)))))
        draft.effects.append(Effect(.sound(PluginEffect(effectID: sound))))
        return try plan(draft)
    }

    /// An effect that is not deterministic over the first four seconds.
    static func uncertain(seconds: Double) throws -> RenderPlan {
        var draft = draft(seconds: seconds)
        let range = TimeRange(start: .zero, duration: Time(seconds: 4) ?? .zero)
        draft.effects.append(Effect(.picture(.filter(PluginEffect(effectID: "org.test.dice"))), range: range))
        return try plan(draft)
    }

    /// Sounds far apart, two of them alike, so that the sound has several runs, one under a filter.
    static func runs(in container: ExportSettings.Container = .mp4) throws -> RenderPlan {
        var draft = draft(seconds: 8)
        for index in draft.clips.indices { draft.clips[index].volume = .constant(0) }
        draft.clips[0].path = "/m/silent.mp4"
        draft.clips[0].content = .media(range: TimeRange(start: .zero, duration: Time(seconds: 7) ?? .zero))
        for start in [0.0, 2, 4, 6] {
            let range = TimeRange(
                start: Time(seconds: start == 6 ? 3 : 1) ?? .zero, duration: Time(seconds: 0.5) ?? .zero)
            var clip = AudioClip(path: "/m/music.m4a", startTime: Time(seconds: start) ?? .zero)
            clip.range = range
            if start == 4 { clip.effects = [Effect(.sound(PluginEffect(effectID: sound)))] }
            draft.audio.append(clip)
        }
        return try plan(draft, in: container)
    }

    static func soundAlone(seconds: Double) throws -> RenderPlan { try plan(draft(seconds: seconds), in: .wav) }

    static func withBitRate(seconds: Double) throws -> RenderPlan {
        var draft = draft(seconds: seconds)
        draft.export.video.bitRate = 1_000_000
        return try plan(draft)
    }

    /// All of them, of several lengths.
    static let all: [RenderPlan] = {
        do {
            return try [
                plain(seconds: 1), plain(seconds: 6), plain(seconds: 14), withPlugins(seconds: 2),
                withPlugins(seconds: 8), uncertain(seconds: 8), soundAlone(seconds: 3), runs(), runs(in: .wav),
            ]
        } catch {
            return []
        }
    }()
}
