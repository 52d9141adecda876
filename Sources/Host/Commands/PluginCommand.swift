import ArgumentParser
import Composition
import Draft
import Farm
import Foundation
import HostCore
import Values

struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "List, test and create effect plugins.",
        subcommands: [List.self, Info.self, Check.self, New.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the effects of all plugins on the search path.")
        @Argument(
            help: ArgumentHelp(
                "List the plugins of another interface: \(ForeignPlugins.all.map(\.name).joined(separator: ", ")).",
                valueName: "interface"), completion: .list(ForeignPlugins.all.map(\.name)))
        var interface: String?
        @Flag(help: "Print JSON, with the parameters of the effects.")
        var json = false
        @OptionGroup var farm: FarmOptions

        func validate() throws { _ = try foreign }

        private var foreign: ForeignPlugins? {
            get throws {
                guard let interface else { return nil }
                let names = ForeignPlugins.all.map(\.name)
                guard let index = names.firstIndex(of: interface) else {
                    throw ValidationError(
                        "‘\(interface)’ is not a plugin interface\(suggestion(for: interface, in: names))")
                }
                return ForeignPlugins.all[index]
            }
        }

        func run() async throws {
            let (json, foreign) = (json, try foreign)
            try await withSession(farm) { session in
                let found =
                    if let foreign {
                        try await session.inspect(foreign)
                    } else {
                        try await session.inspectPlugins(warns: false)
                    }
                let folders = foreign?.folders ?? session.pluginPaths
                if json {
                    return Console.say(
                        prettyJSON(
                            PluginList(effects: found.effects.sorted { $0.id < $1.id }, problems: found.problems),
                            snakeCase: true))
                }
                for effect in found.effects.sorted(by: { $0.id < $1.id }) {
                    let refusal = effect.refusal.map { "  (cannot be used: \($0))" } ?? ""
                    Console.say("\(effect.id)  \(effect.kind.rawValue)  \(effect.version)  \(effect.name)\(refusal)")
                }
                for other in ForeignPlugins.all where foreign == nil && !other.libraries.isEmpty {
                    let count = other.libraries.count
                    Console.say(
                        "and \(counted(count, "library", "libraries")) of \(other.name): cutroom plugin list \(other.name)"
                    )
                }
                for problem in found.problems { Console.warn(problem) }
                if found.effects.isEmpty {
                    Console.inform("there are no plugins in \(folders.joined(separator: ", "))")
                }
            }
        }
    }

    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Describe an effect and its parameters.")
        @Argument(help: "The effect's id, e.g. org.cutroom.vignette.")
        var id: String
        @Flag(help: "Print JSON.")
        var json = false
        @Option(
            help: ArgumentHelp(
                "Write a picture that shows the effect with its default values: .png or .jpg.", valueName: "file"),
            completion: .file(extensions: ["png", "jpg", "jpeg"]))
        var picture: String?
        @Option(
            help: ArgumentHelp("The image for --picture. Default: a test picture.", valueName: "file"),
            completion: .file())
        var image: String?
        @Flag(name: [.long, .customShort("y")], help: "Replace the picture if it exists.")
        var overwrite = false
        @OptionGroup var farm: FarmOptions

        func validate() throws {
            if image != nil, picture == nil { throw ValidationError("‘--image’ needs ‘--picture’.") }
        }

        func run() async throws {
            let (id, json, picture, overwrite) = (id, json, picture, overwrite)
            let image = image.map { absolutePath($0, in: FileManager.default.currentDirectoryPath) }
            let file = { @Sendable in try picture.map { try OutputFile(single: $0, overwrites: overwrite) } }
            let staging = { @Sendable in try file().map { StagingFolder(for: $0) } }
            let place = Locked<StagingFolder?>(nil)
            try await withSession(
                farm,
                writable: try staging().map { new in
                    place.withLock { $0 = new }
                    return [new.path]
                } ?? []
            ) { session in
                let file = try file()
                let staging = place.withLock { $0 }
                try staging?.make()
                defer { staging?.remove() }
                let effects = try await session.inspectPlugins(for: [id]).effects
                guard let effect = effects.first(where: { $0.id == id }) else {
                    let hint = suggestion(for: id, in: effects.map(\.id), others: session.foreignIDs)
                    throw HostError(
                        .data,
                        sentence(
                            "No plugin has an effect ‘\(id)’"
                                + (hint.isEmpty ? "; ‘cutroom plugin list’ lists all effects" : hint)))
                }
                try file?.refuse(ReadFiles([effect.path] + (image.map { [$0] } ?? [])))
                if let file, let staging {
                    try await EffectPortrait(effect: effect, image: image).take(session, into: file, staging)
                }
                if json {
                    Console.say(prettyJSON(effect, snakeCase: true))
                } else {
                    Console.say(effect.forPeople)
                }
            }
        }
    }
}

/// The output of ``PluginCommand/List``.
private struct PluginList: Encodable {
    var effects: [EffectDescriptor]
    /// Libraries and effects that cannot be used, and why.
    var problems: [String]
}

extension EffectDescriptor {
    var forPeople: String {
        var lines = [
            "\(id) \(version): \(name) (\(kind.rawValue), \(state.rawValue))", help, "by \(vendor), \(license)", path,
        ]
        if !files.isEmpty { lines.append("data files: \(files.joined(separator: ", "))") }
        if let refusal { lines.append("cannot be used: \(refusal)") }
        if isKeyed {
            lines.append(
                "keyed by the sound of the main track, or of the clips that ‘key’ names; on audio clips only with ‘key’"
            )
        }
        if !context.isEmpty { lines.append(context.joined(separator: ", ")) }
        lines.append(determinism.forPeople)
        lines.append(
            ignoresTimeline
                ? "gives the same result wherever it is on the timeline"
                : "its result may depend on its place on the timeline, and is reused only there")
        if !formats.isEmpty { lines.append("formats: \(formats.joined(separator: ", "))") }
        if !offeredParameters.isEmpty { lines.append("parameters:") }
        for parameter in offeredParameters {
            var line = "  \(parameter.id): \(parameter.kind.rawValue)"
            switch parameter.kind {
            case .enum: line += " (\(parameter.choices.joined(separator: ", ")))"
            case .double, .int, .point, .color:
                if parameter.minimum < parameter.maximum {
                    line += " \(Value.text(of: parameter.minimum)) … \(Value.text(of: parameter.maximum))"
                }
            default: break
            }
            if !parameter.unit.isEmpty { line += " \(parameter.unit)" }
            if !parameter.isAnimatable { line += " (not animated)" }
            line += ", default \(parameter.initialForPeople)"
            if !parameter.help.isEmpty { line += ": \(parameter.help)" }
            lines.append(line)
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// What the effect needs besides the current frame.
    private var context: [String] {
        let unit = kind == .audioFilter ? "samples" : "frames"
        var parts: [String] = []
        if kind != .source, reachBefore + reachAfter > 0 {
            parts.append("sees \(reachBefore) \(unit) before the current one and \(reachAfter) after it")
        }
        if state == .warmUp { parts.append("warms up with \(warmUp) \(unit)") }
        return parts
    }
}

extension ParameterDescriptor {
    /// The default value in script notation.
    fileprivate var initialForPeople: String {
        let first = initial.first ?? 0
        switch kind {
        case .string, .path: return "‘\(initialText)’"
        case .bool: return first == 0 ? "false" : "true"
        case .enum:
            return Int(exactly: first).flatMap { choices.indices.contains($0) ? choices[$0] : nil } ?? "\(first)"
        case .double, .int, .point, .color:
            return initial.prefix(kind.componentCount).map { Value.text(of: $0) }.joined(separator: ", ")
        }
    }
}

extension EffectDescriptor.Determinism {
    fileprivate var forPeople: String {
        switch self {
        case .none: "its result may differ from run to run, and is not cached"
        case .machine: "gives the same result on processors of one kind"
        case .exact: "gives the same result on every machine"
        }
    }
}
