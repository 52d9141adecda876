import Draft
import Values

/// Text that changes with time: titles that move, and subtitles.
extension RandomDraft {
    public static let subtitles =
        "1\n00:00:00,200 --> 00:00:01,000\nOne <i>line</i>\n\n2\n00:00:00,700 --> 00:00:02,500\nTwo\nlines\n\n"
        + "3\n-00:00:01,000 --> 00:00:00,100\nBefore\n\n4\n00:00:03,000 --> 00:00:03,050\nA blink\n"

    /// The catalog with a subtitle file.
    public static let textCatalog: Catalog = {
        var catalog = RandomDraft.catalog
        var info = MediaInfo(
            kind: .subtitles, format: "srt", identity: FileIdentity(size: 7, modified: 7, digest: "t"))
        info.subtitles = try? SubtitleFile(subtitles, format: .subRip)
        catalog.media["/m/talk.srt"] = .found(info)
        return catalog
    }()

    /// Lets titles of a draft's effect list move, and puts subtitles there, each now and then.
    public mutating func addText(to draft: inout Draft) {
        for index in draft.effects.indices {
            guard case .picture(.title(var title)) = draft.effects[index].kind, random.chance(2, in: 3) else {
                continue
            }
            move(&title)
            draft.effects[index].kind = .picture(.title(title))
        }
        if !draft.clips.isEmpty, random.chance(1, in: 2) {
            draft.effects.insert(subtitles(id: "talk"), at: Int.random(in: 0...draft.effects.count, using: &random))
            // What acts after everything else stays the last one.
            if let last = draft.effects.firstIndex(where: \.isPassThrough), last < draft.effects.count - 1 {
                draft.effects.swapAt(last, draft.effects.count - 1)
            }
        }
    }

    private mutating func entrance() -> Entrance {
        var entrance = Entrance(
            random.pick(Entrance.Kind.allCases), duration: length(0.05...0.6), easing: random.pick(Easing.named))
        if entrance.kind != .type { entrance.unit = random.pick(Entrance.Unit.allCases) }
        if entrance.unit != .whole { entrance.stagger = time(0...0.2) }
        return entrance
    }

    private mutating func move(_ title: inout Title) {
        if random.chance(1, in: 2) { title.enter = entrance() }
        if random.chance(1, in: 2) { title.leave = entrance() }
        if random.chance(1, in: 3) {
            let (first, second) = (
                Double.random(in: -90...90, using: &random), Double.random(in: 0...900, using: &random)
            )
            title.path = Title.Path(
                scale: .constant(random.pick([0.5, 1, 1.25])),
                rotation: .keyframes([
                    Keyframe(time: time(0...0.9), value: [first], easing: random.pick(Easing.named)),
                    Keyframe(time: .zero + length(1...2), value: [second]),
                ]))
        }
        if random.chance(1, in: 3) {
            var start = time(0...1)
            title.text = random.pick(["Row row your boat", "سلام لا مرحبا", "a 👩‍👩‍👧 b"])
            title.spoken = (0..<3).map { word in
                let end = start + length(0.05...0.7)
                defer { start = end }
                return Title.Spoken(TimeRange(from: start, to: end), word: word)
            }
        }
    }

    private mutating func subtitles(id: String) -> Effect {
        var subtitles = Subtitles(path: "/m/talk.srt")
        if random.chance(1, in: 2) { subtitles.shift = random.chance(1, in: 2) ? time(0...2) : -time(0...1) }
        if random.chance(1, in: 2) { subtitles.size = Double(Int.random(in: 6...20, using: &random)) }
        if random.chance(1, in: 3) { subtitles.style.opacity = animated() }
        let range = random.chance(1, in: 2) ? nil : range(within: 2)
        return Effect(.picture(.subtitles(subtitles)), range: range, id: id)
    }
}
