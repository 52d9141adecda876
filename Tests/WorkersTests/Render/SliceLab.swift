import Composition
import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

@testable import Workers

/// Random drafts over real files and real plugins, small enough that whole slices of them are
/// rendered in a moment.
final class SliceLab {
    private let folder: String
    private let catalog: Catalog
    let worker: WorkerContext

    static let size = Canvas.Size(width: 64, height: 36)

    init() throws {
        (folder, catalog) = try SliceMedia.made.get()
        // Of its own: a writer begins by emptying the file, under the hands of another one.
        worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: "\(folder)/breadcrumb-\(UUID())"))
    }

    /// A random legal draft's composition; nil where the draft is not legal.
    func composition(_ random: inout SplitMix64) -> Composition? {
        var drafts = RandomDraft(random)
        var draft = drafts.draft(illegal: false)
        drafts.addText(to: &draft)
        random = drafts.random
        draft.audio = []
        draft.canvas.size = Self.size
        draft.canvas.background = Color(red: 30, green: 90, blue: 160)
        if draft.timeRange == nil { draft.timeRange = TimeRange(start: .zero, duration: Time(seconds: 4) ?? .zero) }
        if random.chance(1, in: 2) {
            draft.effects.insert(drafts.layer(9, side: 60), at: Int.random(in: 0...draft.effects.count, using: &random))
        }
        if random.chance(1, in: 4), draft.clips[0].generator == nil {
            draft.clips[0].placement = drafts.placement(side: 60)
            draft.clips[0].backdrop = random.pick([nil, .blur, .color(.white)])
        }
        for index in draft.clips.indices {
            adapt(&draft.clips[index], &random)
        }
        for index in draft.effects.indices { adapt(&draft.effects[index], &random) }
        return try? Composition(draft, catalog: catalog)
    }

    /// A slice that shows files one after the other, below some looks of low intensity.
    func slice(of names: [String], seconds: Double, looks: Int = 0) throws -> Slice {
        var draft = Draft(canvas: Canvas(size: Self.size, frameRate: Rational(30)))
        let length = Time(seconds: seconds) ?? .zero
        draft.clips = names.map { name in
            let isImage = name.hasSuffix(".png")
            return Clip(
                path: folder + "/" + name,
                content: isImage ? .image(duration: length) : .media(range: TimeRange(start: .zero, duration: length)))
        }
        let look = Look(path: folder + "/negative.png", intensity: .constant(0.01))
        draft.effects = Array(repeating: Effect(.picture(.lut(look))), count: looks)
        let composition = try Composition(draft, catalog: catalog)
        return Slice(composition, frames: 0..<composition.frameCount)
    }

    /// Renders frames of a slice, in the order in which they are given.
    func render(_ slice: Slice, _ frames: some Sequence<Int>, _ body: (Int, Picture) throws -> Void) throws {
        let graph = try PictureGraph(slice, firstFrame: 0, worker.supplies)
        defer { graph.close() }
        for frame in frames { try body(frame, graph.frame(frame)) }
    }

    private func adapt(_ clip: inout Clip, _ random: inout SplitMix64) {
        if case .generated(let effect, let duration) = clip.content {
            clip.content = .generated(adapted(effect, &random), duration: duration)
        } else {
            clip.path = file(clip.path)
        }
        if clip.transition != nil, random.chance(1, in: 2) {
            clip.transition?.kind = .plugin(PluginEffect(effectID: "org.test.join"))
        }
        if case .plugin(let effect)? = clip.transition?.kind {
            var joining = adapted(effect, &random)
            joining.effectID = random.pick(["org.test.join", "org.test.plain-join", "org.test.state-join"])
            clip.transition?.kind = .plugin(joining)
        }
        for index in clip.effects.indices { adapt(&clip.effects[index], &random) }
    }

    private func adapt(_ effect: inout Effect, _ random: inout SplitMix64) {
        if case .layer(var layer) = effect.kind {
            adapt(&layer.clip, &random)
            if let path = layer.mask?.path { layer.mask?.path = file(path) }
            effect.kind = .layer(layer)
        }
        guard case .picture(let picture) = effect.kind else { return }
        switch picture {
        case .lut(var look):
            look.path = file(look.path)
            effect.kind = .picture(.lut(look))
        case .sticker(var sticker):
            sticker.path = random.chance(1, in: 2) ? folder + "/moving.gif" : file(sticker.path)
            if sticker.rect.isConstant {
                sticker.rect = .constant([-5, 3, 21, 24].map(Double.init))
            }
            effect.kind = .picture(.sticker(sticker))
        case .title(var title):
            (title.fontFile, title.size) = (nil, min(title.size, 14))
            if title.width != nil { title.width = 40 }
            effect.kind = .picture(.title(title))
        case .subtitles(var subtitles):
            subtitles.path = file(subtitles.path)
            effect.kind = .picture(.subtitles(subtitles))
        case .filter(let filter): effect.kind = .picture(.filter(adapted(filter, &random)))
        case .overlay(var overlay):
            overlay.source = adapted(overlay.source, &random)
            if overlay.rect != nil { overlay.rect = Rect(x: 7, y: -3, width: 31, height: 21) }
            effect.kind = .picture(.overlay(overlay))
        }
    }

    /// The same effect among those that were built.
    private func adapted(_ effect: PluginEffect, _ random: inout SplitMix64) -> PluginEffect {
        var result = effect
        let isSource = ["org.test.made", "org.test.grown"].contains(effect.effectID)
        result.parameters = [:]
        if isSource { result.parameters["alpha"] = effect.parameters["amount"] }
        let others = [
            "org.test.pure": "org.test.pure2", "org.test.sequential": "org.test.forgets",
            "org.test.made": "org.test.flat",
        ]
        if let other = others[effect.effectID], random.chance(1, in: 2) { result.effectID = other }
        return result
    }

    private func file(_ path: String) -> String {
        folder + "/" + path.dropFirst(3).replacingOccurrences(of: ".jpg", with: ".png")
    }

    /// What is in a canvas picture, without the padding of its rows.
    static func content(_ picture: Picture) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let bytes = picture.format == .yuv420p10 ? 2 : 1
        for plane in 0..<picture.planeCount {
            let size = picture.size(ofPlane: plane)
            for row in 0..<size.height {
                let start = picture.plane(plane) + row * picture.stride(plane)
                for byte in 0..<size.width * bytes { hash = (hash ^ UInt64(start[byte])) &* 0x100_0000_01b3 }
            }
        }
        return hash
    }
}
