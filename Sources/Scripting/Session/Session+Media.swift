import Draft
import Foundation
import Values

/// Files and plugins: each file is probed when a script first names it, so that what is wrong with
/// it is said at that line.
extension Session {
    /// What is in the file at `path`, which may be relative to the script.
    func info(
        _ path: String, _ object: String, _ origin: Origin, as content: DraftFile.Content = .media
    ) throws -> (path: String, info: MediaInfo) {
        if let reason = urlRefusal(path) { throw Problem(object, reason, origin: origin) }
        let absolute = absolutePath(path, in: source.folder)
        let file = DraftFile(absolute, content)
        catalog.names.note(absolute, written: path)
        if catalog[file] == nil {
            guard !path.isEmpty else { throw Problem(object, "its path is empty", origin: origin) }
            catalog[file] = waiting { environment.probe(file) }
        }
        switch catalog[file] {
        case .found(let info)?: return (absolute, info)
        case .unreadable(let reason)?: throw Problem(object, reason, origin: origin).naming(catalog.names)
        case nil: throw Problem(object, "‘\(path)’ cannot be probed", origin: origin)
        }
    }

    /// Probes a file that the script names by itself; its problems name the file.
    func info(
        ofNamed path: String, _ origin: Origin, as content: DraftFile.Content = .media
    ) throws -> MediaInfo {
        do {
            return try info(path, "‘\(path)’", origin, as: content).info
        } catch let problem as Problem where problem.message.contains("‘") {
            throw ScriptError(.rule, problem.message, at: origin)
        }
    }

    /// The plugins' effects, asked for once, with those of other libraries that the script has
    /// named so far.
    /// - Parameter id: the effect that is wanted, which may be in one of them.
    func pluginEffects(with id: String) throws -> [EffectDescriptor] {
        if knownEffects == nil { knownEffects = try waiting { try environment.effects() } }
        if !asked.contains(id), knownEffects?.contains(where: { $0.id == id }) == false {
            if let effect = try waiting({ try environment.effect(id) }) { knownEffects?.append(effect) }
            asked.insert(id)
        }
        catalog.effects = knownEffects ?? []
        return catalog.effects
    }

    /// Finds out which fonts the draft's titles get and which titles leave their canvases, each
    /// once.
    func measureTitles(of draft: Draft) throws {
        let fonts = draft.fonts.subtracting(knownFonts)
        if !fonts.isEmpty {
            let substitutes = try waiting { try environment.substitutes(for: fonts) }
            catalog.substitutes.merge(substitutes) { $1 }
            knownFonts.formUnion(fonts)
        }
        let titles = draft.placedTitles(catalog).subtracting(knownTitles)
        if !titles.isEmpty {
            let overhangs = try waiting { try environment.overhangs(of: titles) }
            catalog.overhangs.merge(overhangs) { $1 }
            knownTitles.formUnion(titles)
        }
    }

    /// What the environment takes its time for does not count against the script.
    func waiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let lua else { return try body() }
        clock.stop()
        defer { clock.start() }
        return try lua.withoutClock(body)
    }

    /// Checks everything that an entry of an effect list names outside the draft.
    /// - Parameter kinds: what a plugin may do in its place.
    func check(
        _ effect: Effect, as kinds: [EffectDescriptor.Kind] = [.filter, .audioFilter], _ object: String,
        _ origin: Origin
    ) throws {
        switch effect.kind {
        case .speed, .repeat: break
        case .picture(let picture): try check(picture, as: kinds, object, origin)
        case .sound(let filter):
            try check(
                filter, as: kinds, saying: .audioFilter, hasKey: !effect.keys.isEmpty, object, origin)
        // Its clip was checked when it was read.
        case .layer: break
        }
    }

    private func check(
        _ effect: PictureEffect, as kinds: [EffectDescriptor.Kind], _ object: String, _ origin: Origin
    ) throws {
        switch effect {
        case .filter(let filter): try check(filter, as: kinds, saying: .filter, object, origin)
        case .overlay(let overlay): try check(overlay.source, as: [.source], object, origin)
        case .lut, .title: try checkFiles(effect.files, object, origin)
        case .subtitles(let subtitles):
            try checkFiles(effect.files, object, origin)
            guard catalog.info(subtitles.path)?.subtitles != nil else {
                throw Problem(object, "‘\(subtitles.path)’ \(Subtitles.refusal)", origin: origin)
            }
        case .sticker(let sticker):
            try checkFiles(effect.files, object, origin)
            guard catalog.info(sticker.path)?.video != nil else {
                throw Problem(object, "‘\(sticker.path)’ has no picture", origin: origin)
            }
        }
    }

    /// Checks what a document uses of plugins.
    /// - Parameters:
    ///   - document: where entries of effect lists come from.
    ///   - call: where the document is opened.
    func check(_ use: DraftUse, of document: Origin, _ call: Origin) throws {
        let kinds: [EffectDescriptor.Kind] = [.filter, .audioFilter]
        switch use.content {
        case .file: break
        case .layer(let layer):
            guard let effect = layer.clip.generator else { break }
            try check(effect, as: [.source], "layer (\(effect.effectID))", call)
        case .clip(let clip):
            guard let effect = clip.generator else { break }
            try check(effect, as: [.source], "generated clip (\(effect.effectID))", call)
        case .transition(let effect): try check(effect, as: [.transition], "transition (\(effect.effectID))", call)
        case .picture(let effect): try check(effect, as: kinds, "effect (\(effect.name))", document)
        case .sound(let effect):
            // Where it lies, and so what may key it, the draft's validation knows.
            try check(
                effect, as: kinds, saying: .audioFilter, hasKey: true, "effect (\(effect.effectID))", document)
        }
    }

    private func checkFiles(_ files: [DraftFile], _ object: String, _ origin: Origin) throws {
        for file in files { _ = try info(file.path, object, origin, as: file.content) }
    }

    /// Checks a plugin's effect and its parameters.
    /// - Parameters:
    ///   - kinds: what it may do in its place.
    ///   - said: what its entry says that it does, where an entry does.
    ///   - hasKey: its entry names what keys it.
    func check(
        _ effect: PluginEffect, as kinds: [EffectDescriptor.Kind], saying said: EffectDescriptor.Kind? = nil,
        hasKey: Bool = false, _ object: String, _ origin: Origin
    ) throws {
        let effects = try pluginEffects(with: effect.effectID)
        if kinds.contains(.filter) || kinds == [.audioFilter], !effects.contains(where: { $0.id == effect.effectID }) {
            throw Problem(object, try unknownEffect(effect.effectID), origin: origin)
        }
        if let reason = effect.problems(
            as: kinds, saying: said, hasKey: hasKey, effects, others: environment.otherEffects
        ).first {
            throw Problem(object, reason, origin: origin)
        }
        try checkFiles(effect.files, object, origin)
    }

    /// The sentence for an effect that is neither built in nor a plugin's.
    func unknownEffect(_ kind: String) throws -> String {
        let fitting = try pluginEffects(with: kind).filter { [.filter, .audioFilter, .source].contains($0.kind) }
        let hint = suggestion(
            for: kind, in: Effect.builtInKinds + fitting.map(\.id), others: environment.otherEffects,
            otherNames: .effects)
        return "there is no effect ‘\(kind)’\(hint.isEmpty ? "; ‘cutroom plugin list’ says which there are" : hint)"
    }

    // MARK: cutroom.probe

    func probe(_ call: LuaCall) throws -> Value {
        let path = try call.text(0, "a file's path")
        let info = try info(ofNamed: path, call.origin)
        var fields: [String: Value] = [
            "kind": .string(info.kind.rawValue), "format": .string(info.format),
            "duration": .number(info.duration.seconds),
            "has_picture": .bool(info.video != nil), "has_audio": .bool(info.audio != nil),
            "size": .number(Double(info.identity.size)),
        ]
        if let video = info.video {
            fields["width"] = .number(video.width)
            fields["height"] = .number(video.height)
            fields["rotation"] = .number(video.rotation)
            fields["has_alpha"] = .bool(video.hasAlpha)
            fields["color"] = .string((video.hdr ?? .sdr).rawValue)
            fields["codec"] = .string(video.codec)
            if info.kind == .media { fields["fps"] = .number(video.frameRate.doubleValue) }
        }
        fields["cut_off"] = info.cutOff.map(Value.string)
        if let subtitles = info.subtitles { fields["cues"] = .number(subtitles.cues.count) }
        if let audio = info.audio {
            fields["sample_rate"] = .number(audio.sampleRate)
            fields["channels"] = .number(audio.channels)
            fields["audio_codec"] = .string(audio.codec)
            fields["audio_tracks"] = .array(info.audioTracks.map(\.scriptValue))
        }
        return .object(fields)
    }
}

extension AudioStreamInfo {
    /// A track as ``Session/probe(_:)`` lists it.
    fileprivate var scriptValue: Value {
        var fields: [String: Value] = [
            "codec": .string(codec), "channels": .number(Double(channels)), "sample_rate": .number(Double(sampleRate)),
            "duration": .number(duration.seconds),
        ]
        fields["language"] = language.map(Value.string)
        fields["title"] = title.map(Value.string)
        return .object(fields)
    }
}
