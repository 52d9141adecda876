import Draft
import Foundation
import HostCore

/// A new plugin's project: a folder that needs a compiler, but none of Cutroom's sources.
struct PluginProject {
    enum Language: String, CaseIterable {
        case c, cpp, swift

        var name: String {
            switch self {
            case .c: "C"
            case .cpp: "C++"
            case .swift: "Swift"
            }
        }
    }

    enum Kind: String, CaseIterable {
        case filter, transition, source
        case audioFilter = "audio-filter"
        case analyser
    }

    /// The absolute path of the folder. Its last component is the plugin's name.
    let folder: String
    let language: Language
    let kind: Kind
    let id: String

    /// Prepares a project.
    /// - Parameter id: nil: example.org and the folder's name.
    /// - Throws: if the folder exists, or its name or the id are not valid.
    init(folder: String, language: Language, kind: Kind, id: String?) throws(HostError) {
        (self.folder, self.language, self.kind) = (folder, language, kind)
        let name = (folder as NSString).lastPathComponent
        let isPlain = name.utf8.allSatisfy {
            Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isPlain, let first = name.utf8.first, Self.isLetter(first), name.utf8.count <= 64 else {
            throw HostError(
                .usage,
                "‘\(name)’ is not a valid plugin name: use at most 64 letters a–z, digits, - and _, starting with a letter."
            )
        }
        self.id = id ?? "org.example." + Self.stem(name)
        guard EffectID.isValid(self.id) else {
            throw HostError(.usage, "‘\(self.id)’ is not a valid effect id: it must be \(EffectID.rule).")
        }
        if let refusal = EffectID.refusalOfOthers(self.id) {
            throw HostError(.usage, "‘\(self.id)’ cannot be used as an effect id: \(refusal).")
        }
        if FileManager.default.fileExists(atPath: folder) {
            throw HostError(.cannotCreate, "‘\(folder)’ already exists; choose another name.")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func stem(_ name: String) -> String { name.lowercased().replacingOccurrences(of: "-", with: "_") }

    var name: String { (folder as NSString).lastPathComponent }
    /// The stem of file names and of C functions.
    var stem: String { Self.stem(name) }
    /// The name of the Swift module and its source; it differs from those of the modules that it
    /// imports.
    private var module: String {
        stem.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Plugin"
    }
    /// The absolute path of the library that the project builds.
    var library: String { "\(folder)/\(stem).so" }

    /// The file that contains the effect.
    private var source: String {
        switch language {
        case .c: "\(stem).c"
        case .cpp: "\(stem).cpp"
        case .swift: "\(module).swift"
        }
    }

    /// Writes the folder; on failure, it is removed again.
    func write() throws(HostError) {
        do {
            for (name, text) in files {
                let path = "\(folder)/\(name)"
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            }
        } catch {
            let reason = String(cString: strerror(errno))
            try? FileManager.default.removeItem(atPath: folder)
            throw HostError(.cannotCreate, "Cannot write the project ‘\(folder)’: \(reason).")
        }
    }

    /// By their names in the folder.
    private var files: [(name: String, text: String)] {
        var files = [
            ("include/cutroom/plugin.h", PluginTemplates.header), ("exports.map", PluginTemplates.exports),
            ("README.md", filled(PluginTemplates.readme)), ("Makefile", filled(PluginTemplates.makefile(language))),
            (source, filled(PluginTemplates.plugin(language), process: PluginTemplates.process(language, kind))),
        ]
        if language == .swift {
            files += [
                ("Descriptor.swift", filled(PluginTemplates.descriptor)), ("entry.c", filled(PluginTemplates.entry)),
                ("include/module.modulemap", PluginTemplates.moduleMap),
            ]
        }
        return files
    }

    private func filled(_ template: String, process: String = "") -> String {
        let words = kind.words
        var text = template.replacingOccurrences(of: "@PROCESS@\n", with: process)
        let values = [
            "NAME": name, "STEM": stem, "MODULE": module, "ID": id, "LANGUAGE": language.name,
            "KINDNAME": kind.rawValue, "SOURCE": source,
            "KIND": words.constant, "FORMAT": words.format,
            "CAPABILITIES": kind == .filter || kind == .transition || kind == .source
                ? "CUTROOM_CAN_ROW_SLICES | CUTROOM_IGNORES_TIMELINE" : "CUTROOM_IGNORES_TIMELINE",
            "HELP": words.help, "PARAM": words.parameter, "LABEL": words.parameter.capitalized,
            "PARAMHELP": words.parameterHelp,
            "MIN": words.minimum, "MAX": words.maximum, "INITIAL": words.initial, "USAGE": usage,
        ]
        for (key, value) in values { text = text.replacingOccurrences(of: "@\(key)@", with: value) }
        return text
    }

    /// The script line that uses the effect.
    private var usage: String {
        let value = "\(kind.words.parameter) = \(kind.words.example)"
        let line: String
        switch kind {
        case .filter, .audioFilter: line = "draft:add_effect(\"\(id)\", { \(value) })"
        case .transition:
            line = "draft:add_clip(\"b.mp4\", { transition = { kind = \"\(id)\", duration = 1, \(value) } })"
        case .source: line = "draft:add_source(\"\(id)\", { duration = 3, \(value) })"
        case .analyser:
            line = """
                local track = cutroom.analyse("a.mp4", "\(id)", { \(value) })
                    for _, frame in ipairs(track.frames) do print(frame.time, frame.brightness[1]) end
                """
        }
        return """
                cutroom render edit.lua -o out.mp4 --plugin-path \(stem).so

            with, in edit.lua:

                \(line)

            """
    }
}

extension PluginProject.Kind {
    /// The texts in the templates about the effect and its parameter.
    struct Words {
        var constant: String
        var format = "CUTROOM_FORMAT_RGBA8"
        var help: String
        var parameter: String
        var parameterHelp: String
        var minimum: String
        var maximum: String
        var initial: String
        /// The value in the example: an ordinary one that differs from the default.
        var example: String
    }

    var words: Words {
        switch self {
        case .filter:
            Words(
                constant: "CUTROOM_KIND_FILTER", help: "Blends the picture with its negative.", parameter: "amount",
                parameterHelp: "0 is the original picture, 1 is the negative.", minimum: "0", maximum: "1",
                initial: "0.8", example: "0.5")
        case .transition:
            Words(
                constant: "CUTROOM_KIND_TRANSITION", help: "Wipes to the next picture with a soft edge.",
                parameter: "softness",
                parameterHelp: "The width of the edge, as a fraction of the picture's width.", minimum: "0",
                maximum: "1",
                initial: "0.25", example: "0.1")
        case .source:
            Words(
                constant: "CUTROOM_KIND_SOURCE", help: "A checkerboard that moves to the left.", parameter: "size",
                parameterHelp: "The side of a square, in pixels.", minimum: "1", maximum: "500", initial: "32",
                example: "64")
        case .audioFilter:
            Words(
                constant: "CUTROOM_KIND_AUDIO_FILTER", format: "CUTROOM_FORMAT_PCMF32_PLANAR",
                help: "Changes the volume.",
                parameter: "gain", parameterHelp: "The factor that multiplies each sample.", minimum: "0", maximum: "4",
                initial: "0.5", example: "0.8")
        case .analyser:
            Words(
                constant: "CUTROOM_KIND_ANALYSER", help: "Measures the brightness of each frame.", parameter: "scale",
                parameterHelp: "The value of a white frame.", minimum: "0", maximum: "255", initial: "1", example: "100"
            )
        }
    }
}
