import Values

extension ExportSettings {
    /// The kind of file where neither the settings nor the output's name say one: the first that
    /// holds the codecs, and of these the first that has everything that is asked of the picture.
    public var usualContainer: Container {
        if let container { return container }
        let holding = Container.allCases.filter { container in
            (video.codec.map(container.videoCodecs.contains) ?? true)
                && (audio.codec.map(container.audioCodecs.contains) ?? true)
        }
        let suited = holding.filter { $0.hasBoth && suits($0) }
        let fitting = suited.isEmpty ? holding : suited
        // Where the codec is at home before where it is a guest.
        let home = video.codec.flatMap { codec in fitting.first { $0.videoCodecs.first == codec } }
        return home ?? fitting.first ?? .mp4
    }

    /// Returns the default picture codec; nil where the container has no picture or fixes the
    /// codec. For HDR that is HEVC where the file can hold it: hardly any player decodes 10 bits of
    /// H.264. A profile that this codec does not have chooses one that does.
    public func videoCodec(in container: Container, color: ColorSystem = .sdr) -> VideoCodec? {
        let codecs = container.videoCodecs
        let usual = color.isHDR && codecs.contains(.hevc) ? .hevc : codecs.first
        guard video.codec == nil, let profile = video.profile, usual?.allProfiles.contains(profile) == false else {
            return video.codec ?? usual
        }
        return codecs.first { $0.allProfiles.contains(profile) } ?? usual
    }

    /// Returns the default sound codec; nil where the container has no sound.
    public func audioCodec(in container: Container) -> AudioCodec? {
        container.audioCodecs.isEmpty
            ? nil : audio.codec ?? container.usualAudioCodec(with: videoCodec(in: container))
    }

    /// What does not go together in a file of this kind, each with what would.
    ///
    /// What ``fitted(to:)`` leaves out is none.
    /// - Parameter color: the canvas's; nil where it is not known yet.
    public func problems(
        in container: Container, color: ColorSystem? = nil, object: String = "export", origin: Origin? = nil
    ) -> [Problem] {
        fitted(to: container).ownProblems(in: container, color, object, origin)
    }

    /// The settings without what this kind of file has no choice of, so that one script can be
    /// rendered to several kinds: all of the picture's for a GIF or for sound, and of a codec that
    /// the settings do not name what that codec does not have. Where they ask for this container
    /// themselves, everything stays.
    public func fitted(to container: Container) -> ExportSettings {
        var fitted = self
        if container.isSoundOnly { fitted.video = Video() }
        if container.audioCodecs.isEmpty { fitted.audio = Audio() }
        guard self.container != container else { return fitted }
        if container == .gif { fitted.video = Video() }
        if video.codec == nil, let codec = videoCodec(in: container) {
            if codec.allProfiles.isEmpty { fitted.video.profile = nil }
            if codec.presets.isEmpty { fitted.video.preset = nil }
            if codec.quality == nil { fitted.video.quality = nil }
            if codec.searchRange == nil { fitted.video.bitRate = nil }
            if !codec.hasKeyFrames { fitted.video.keyFrameInterval = nil }
        }
        if audio.codec == nil, let codec = audioCodec(in: container) {
            if codec.sampleRates.count == 1 { fitted.audio.sampleRate = nil }
            if codec.bitRates == nil { fitted.audio.bitRate = nil }
        }
        return fitted
    }

    /// Whether everything about the picture is something that this kind of file has, and nothing
    /// else is wrong.
    private func suits(_ container: Container) -> Bool {
        var asked = self
        asked.container = container
        return problems(in: container).isEmpty
            && !asked.problems(in: container).contains { $0.object.hasSuffix("video") }
    }

    private func ownProblems(
        in container: Container, _ color: ColorSystem?, _ object: String, _ origin: Origin?
    ) -> [Problem] {
        var messages: [(part: String, text: String)] = []
        if let color, let reason = problem(of: color, in: container) {
            messages.append(("video", reason))
        } else if container == .gif {
            messages += gifProblems.map { ("video", $0) }
        } else if let codec = videoCodec(in: container, color: color ?? .sdr), !container.isSoundOnly {
            let reasons = problem(of: codec, in: container).map { [$0] } ?? videoProblems(codec, color)
            messages += reasons.map { ("video", $0) }
        }
        if let codec = audioCodec(in: container) {
            messages += (problem(of: codec, in: container).map { [$0] } ?? audioProblems(codec)).map { ("audio", $0) }
        }
        return messages.map { Problem("\(object), \($0.part)", $0.text, origin: origin) }
    }

    private func problem(of color: ColorSystem, in container: Container) -> String? {
        func holds(_ container: Container) -> Bool { container.videoCodecs.contains { $0.carries(color) } }
        guard color.isHDR, !container.isSoundOnly, !holds(container) else { return nil }
        let others = Container.allCases.filter(holds).map(\.rawValue)
        return "the canvas is \(color.name), but a \(container.rawValue) has 8 bits and shows SDR only; write "
            + "\(others.joined(separator: ", ")), or leave the canvas's ‘color’ at \"sdr\""
    }

    private func problem(of codec: VideoCodec, in container: Container) -> String? {
        guard !container.videoCodecs.contains(codec) else { return nil }
        let others = Container.allCases.filter { $0.videoCodecs.contains(codec) }.map(\.rawValue)
        return "\(container.rawValue) cannot hold \(codec.rawValue); it holds \(container.videoCodecs.names), "
            + "and \(codec.rawValue) goes into \(others.joined(separator: ", "))"
    }

    private func problem(of codec: AudioCodec, in container: Container) -> String? {
        guard !container.audioCodecs.contains(codec) else { return nil }
        let others = Container.allCases.filter { $0.audioCodecs.contains(codec) }.map(\.rawValue)
        return "\(container.rawValue) cannot hold \(codec.rawValue); it holds \(container.audioCodecs.names), "
            + "and \(codec.rawValue) goes into \(others.joined(separator: ", "))"
    }

    private var gifProblems: [String] {
        let given: [(String, Bool)] = [
            ("codec", video.codec != nil), ("quality", video.quality != nil), ("bit_rate", video.bitRate != nil),
            ("profile", video.profile != nil), ("preset", video.preset != nil),
            ("key_frame_interval", video.keyFrameInterval != nil),
        ]
        return given.filter(\.1).map { "gif has no ‘\($0.0)’; leave it out, or choose another container" }
    }

    private func videoProblems(_ codec: VideoCodec, _ color: ColorSystem?) -> [String] {
        var messages: [String] = []
        let name = codec.rawValue
        func choice(_ key: String, _ value: String?, _ known: [String]) {
            guard let value, !known.contains(value) else { return }
            // In their own order, which for presets is that of speed.
            let meant =
                OtherNames.presets.advice(for: value, in: known) ?? nearestName(to: value, in: known).map {
                    "; did you mean ‘\($0)’?"
                }
                ?? "; there are \(known.joined(separator: ", "))"
            messages.append(
                known.isEmpty
                    ? "\(name) has no ‘\(key)’; leave it out"
                    : "‘\(key)’ is \(Value.quoted(value)), which \(name) does not have\(meant)")
        }
        let all = codec.allProfiles
        let fitting = color.map(codec.profiles(for:)) ?? all
        if let color, let profile = video.profile, all.contains(profile), !fitting.contains(profile) {
            messages.append(
                "‘profile’ is \(Value.quoted(profile)), but \(color == .pq ? "a" : "an") \(color.name) canvas has \(color.isHDR ? 10 : 8) bits, which "
                    + "\(name) carries in \(fitting.map(Value.quoted).joined(separator: ", "))")
        } else {
            choice("profile", video.profile, fitting)
        }
        choice("preset", video.preset, codec.presets)
        if let quality = video.quality {
            if let scale = codec.quality {
                let (low, high) = (scale.range.lowerBound, scale.range.upperBound)
                let best = scale.startsLossless ? "lossless" : "best"
                if !scale.range.contains(quality) {
                    messages.append(
                        "‘quality’ is \(Value.text(of: quality)), but must lie between \(Value.text(of: low)) (\(best)) and "
                            + "\(Value.text(of: high)) (worst) for \(name)")
                } else if scale.step == 1, quality != quality.rounded() {
                    messages.append("‘quality’ is \(Value.text(of: quality)), but must be a whole number for \(name)")
                }
            } else {
                messages.append(
                    "\(name) has no ‘quality’\(codec == .prores ? "; its ‘profile’ decides" : "; it loses nothing")")
            }
        }
        if codec == .h264, video.quality == 0, let profile = video.profile {
            messages.append("‘quality’ 0 is lossless, which profile ‘\(profile)’ cannot carry; leave ‘profile’ out")
        }
        if video.bitRate != nil, codec.searchRange == nil { messages.append("\(name) has no ‘bit_rate’; leave it out") }
        if video.keyFrameInterval != nil, !codec.hasKeyFrames {
            messages.append("\(name) has no ‘key_frame_interval’: every frame stands for itself; leave it out")
        }
        return messages
    }

    private func audioProblems(_ codec: AudioCodec) -> [String] {
        var messages: [String] = []
        let name = codec.rawValue
        if let channels = audio.channels, !codec.channelCounts.contains(channels) {
            messages.append("‘channels’ is \(channels), but must be \(codec.channelCounts.names) for \(name)")
        }
        if let rate = audio.sampleRate, !codec.sampleRates.contains(rate) {
            messages.append("‘sample_rate’ is \(rate), but must be \(codec.sampleRates.names) for \(name)")
        }
        if let rate = audio.bitRate {
            if let range = codec.bitRates {
                if !range.contains(rate) {
                    messages.append(
                        "‘bit_rate’ is \(rate), but must lie between \(range.lowerBound) and \(range.upperBound) bits per second for \(name)"
                    )
                }
            } else {
                messages.append("\(name) has no ‘bit_rate’; leave it out")
            }
        }
        return messages
    }
}

extension Collection where Element == VideoCodec {
    fileprivate var names: String { isEmpty ? "no picture" : map(\.rawValue).joined(separator: ", ") }
}

extension Collection where Element == AudioCodec {
    fileprivate var names: String { isEmpty ? "no sound" : map(\.rawValue).joined(separator: ", ") }
}

extension Collection where Element == Int {
    fileprivate var names: String {
        let texts = map(String.init)
        guard texts.count > 1, let last = texts.last else { return texts.joined() }
        return texts.dropLast().joined(separator: ", ") + " or " + last
    }
}
