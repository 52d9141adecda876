import Draft
import Foundation

/// Files and plugins: each file is probed when a script first names it, so that what is wrong with it is said at that line.
extension Session {
    /// What is in the file at `path`, which may be relative to the script.
    func info(_ path: String, _ object: String, _ origin: Origin) throws -> (path: String, info: MediaInfo) {
        let absolute = absolutePath(path, in: source.folder)
        if catalog.media[absolute] == nil {
            guard !path.isEmpty else { throw Problem(object, "its path is empty", origin: origin) }
            catalog.media[absolute] = waiting { environment.probe(absolute) }
        }
        switch catalog.media[absolute] {
        case .found(let info)?: return (absolute, info)
        case .unreadable(let reason)?: throw Problem(object, reason, origin: origin)
        case nil: throw Problem(object, "‘\(absolute)’ cannot be probed", origin: origin)
        }
    }

    /// The plugins' effects, asked for once.
    func pluginEffects() throws -> [EffectDescriptor] {
        if let knownEffects { return knownEffects }
        let effects = try waiting { try environment.effects() }
        knownEffects = effects
        catalog.effects = effects
        return effects
    }

    /// What the environment takes its time for does not count against the script.
    private func waiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let lua else { return try body() }
        return try lua.withoutClock(body)
    }

    /// Checks everything that an effect names outside the draft.
    func check(_ effect: Effect, _ object: String, _ origin: Origin) throws {
        guard case .picture(let picture) = effect.kind else { return }
        switch picture {
        case .lut(let look): _ = try info(look.path, object, origin)
        case .sticker(let sticker):
            let found = try info(sticker.path, object, origin)
            if found.info.video == nil { throw Problem(object, "‘\(sticker.path)’ has no picture", origin: origin) }
        case .title(let title):
            if let file = title.fontFile, !FileManager.default.isReadableFile(atPath: file) {
                throw Problem(object, "there is no font file ‘\(file)’ that can be read", origin: origin)
            }
        case .filter(let filter):
            try check(filter, as: .filter, object, origin)
            if let path = filter.imagePath { _ = try info(path, object, origin) }
        }
    }

    /// Checks a plugin's effect and its parameters.
    func check(_ effect: ExternalFilter, as kind: EffectDescriptor.Kind, _ object: String, _ origin: Origin) throws {
        let effects = try pluginEffects()
        if kind == .filter, !effects.contains(where: { $0.id == effect.effectID }) {
            throw Problem(object, try unknownEffect(effect.effectID), origin: origin)
        }
        if let reason = effect.problems(as: kind, effects).first { throw Problem(object, reason, origin: origin) }
    }

    /// The sentence for an effect that is neither built in nor a plugin's.
    func unknownEffect(_ kind: String) throws -> String {
        let names = Effect.builtInKinds + (try pluginEffects().map(\.id))
        return "there is no effect ‘\(kind)’\(suggestion(for: kind, in: names))"
    }

    // MARK: cutroom.probe

    func probe(_ call: LuaCall) throws -> Value {
        let path = try call.text(0, "a file's path")
        let info = try info(path, "‘\(path)’", call.origin).info
        var fields: [String: Value] = [
            "kind": .string(info.kind.rawValue), "format": .string(info.format), "duration": .number(info.duration.seconds),
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
