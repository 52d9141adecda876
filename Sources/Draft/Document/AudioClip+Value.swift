extension AudioClip {
    /// - Parameters:
    ///   - path: absolute.
    ///   - value: the options in the full form: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    public init(
        path: String, reading value: Value, object: String, origin: Origin? = nil, folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        self.init(path: path, startTime: try fields.length("at") ?? .zero, id: try fields.string("id"))
        self.origin = origin
        range = try fields.range("range")
        speed = try fields.rational("speed") ?? speed
        guard Clip.speedRange.contains(speed) else {
            throw fields.problem(
                Clip.problem(ofSpeed: speed) + (speed < .zero ? "; audio is not played backwards" : ""))
        }
        keepsPitch = try fields.bool("keep_pitch") ?? keepsPitch
        sound.volume = try fields.animated("volume") ?? sound.volume
        sound.fadeIn = try fields.length("fade_in") ?? sound.fadeIn
        sound.fadeOut = try fields.length("fade_out") ?? sound.fadeOut
        loops = try fields.bool("loop") ?? loops
        audioTrack = try fields.track("audio_track")
        for (index, item) in (try fields.list("effects") ?? []).enumerated() {
            let name = "\(object), effect \(index + 1)"
            effects.append(try Effect(readingOwn: item, object: name, origin: origin, folder: folder))
        }
        try fields.finish(otherNames: .audio)
    }

    /// The options that would make this clip again, without its path, in the full form.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    public func value(in folder: String? = nil) -> Value {
        var writer = FieldWriter(folder: folder)
        writer.put("id", id)
        if startTime != .zero { writer.put("at", startTime) }
        writer.put("range", range)
        if speed != .one { writer.put("speed", speed.value) }
        if !keepsPitch { writer.put("keep_pitch", .bool(false)) }
        if sound.volume != .constant(1) { writer.put("volume", sound.volume.value) }
        if sound.fadeIn != .zero { writer.put("fade_in", sound.fadeIn) }
        if sound.fadeOut != .zero { writer.put("fade_out", sound.fadeOut) }
        if loops { writer.put("loop", .bool(true)) }
        writer.put("audio_track", audioTrack?.value)
        if !effects.isEmpty { writer.put("effects", .array(effects.map { $0.value(in: folder) })) }
        return writer.value
    }

    public static let optionNames = [
        "id", "at", "range", "speed", "keep_pitch", "volume", "fade_in", "fade_out", "loop", "audio_track", "effects",
    ]
}
