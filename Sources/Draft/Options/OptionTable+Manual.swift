import Delivery
import Values

/// The tables of the manual's options, which come from the options' declarations.
public enum OptionManual {
    /// Each table by its name, as Markdown.
    public static var tables: [(name: String, text: String)] {
        let places = Set(Placement.options.names + ["mode"])
        let heard = Set(ClipSound.options.names)
        return [
            ("draft", Canvas.options.manual() + DraftOptions.options.rows()),
            ("clip", Clip.options.manual(of: .clips) { !places.contains($0) || $0 == "mode" }),
            ("place", Clip.options.manual(of: .placed, noting: false) { places.contains($0) }),
            ("audio", AudioClip.options.manual()),
            ("layer", Layer.options.manual()),
            ("layer sound", Clip.options.manual(of: .mediaLayer, noting: false) { heard.contains($0) }),
            ("title", Title.options.manual { $0 != "text" }),
            (
                "subtitles",
                Subtitles.options.manual { name in
                    !Title.style.names.contains(name) || ["size", "outline_width", "margin", "position"].contains(name)
                }
            ),
            ("export", ExportSettings.options.manual()),
            ("export video", ExportSettings.Video.options.manual()),
            ("export audio", ExportSettings.Audio.options.manual()),
        ]
    }
}

extension OptionTable {
    /// Returns a table with its head.
    fileprivate func manual(
        of uses: ObjectUse = .all, noting: Bool = true, where isShown: (String) -> Bool = { _ in true }
    ) -> String {
        "| option | default | meaning |\n| --- | --- | --- |\n" + rows(of: uses, noting: noting, where: isShown)
    }

    /// Returns a row for each option.
    /// - Parameter noting: whether it says which clips lack an option.
    fileprivate func rows(
        of uses: ObjectUse = .all, noting: Bool = true, where isShown: (String) -> Bool = { _ in true }
    ) -> String {
        options.filter { !$0.uses.isDisjoint(with: uses) && isShown($0.name) }.map { option in
            let usual = option.usually ?? unsetValue(of: option).flatMap(\.manualText) ?? "none"
            let lacks = noting && uses.contains(.image) && !option.uses.contains(.image) ? ". Not for images" : ""
            return "| `\(option.name)` | \(usual) | \(option.help)\(lacks) |\n"
        }.joined()
    }
}

extension Value {
    /// The value as a script writes it, where it is short.
    fileprivate var manualText: String? {
        switch self {
        case .bool(let flag): "\(flag)"
        case .number(let number): Value.text(of: number)
        case .string(let text): "`\"\(text)\"`"
        case .null, .array, .object, .function: nil
        }
    }
}
