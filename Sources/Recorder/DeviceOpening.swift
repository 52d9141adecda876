import Foundation
import Glibc
import Media
import Recording
import Values

/// A source that is open, as it was asked for or as near to it as it can be.
struct OpenedDevice {
    let input: LiveInput
    /// The form of what is sent to the recorder.
    let form: LiveForm
    /// What the user should know: sentences.
    var warnings: [String] = []
}

extension DeviceLaunch {
    /// Opens the source. Where libavdevice would silently take something else than was asked, the
    /// device is asked first what it can do.
    /// - Parameter warn: called with a sentence before something that takes time: the recorder
    ///   waits longer for a source that has said something.
    func open(_ warn: (String) -> Void) throws -> OpenedDevice {
        switch input.format {
        case "v4l2": try openCamera(warn)
        case "alsa": try openALSA(input.url, [])
        case "pulse": try openPulse()
        default:
            try opened(
                LiveInput(input, kind, name: name), [], width: width, height: height, sampleRate: sound.sampleRate,
                channels: sound.channels)
        }
    }

    private func warnings(_ compromises: [String]) -> [String] {
        compromises.map { "‘\(name)’: \($0)." }
    }

    /// - Parameters:
    ///   - compromises: half sentences.
    ///   - width: of the pictures that are sent; nil: the source's, as for `height`.
    ///   - sampleRate: of the sound that is sent; nil: the source's, as for `channels`.
    private func opened(
        _ input: LiveInput, _ compromises: [String], width: Int? = nil, height: Int? = nil, sampleRate: Int? = nil,
        channels: Int? = nil, warnings: [String] = []
    ) throws -> OpenedDevice {
        switch input.form {
        case .picture(let deviceWidth, let deviceHeight, _):
            let (own, ownHeight) =
                degrees % 180 == 0 ? (deviceWidth, deviceHeight) : (deviceHeight, deviceWidth)
            let form = LiveForm(
                source: input.form, width: width ?? max(2, own & ~1), height: height ?? max(2, ownHeight & ~1))
            return OpenedDevice(input: input, form: form, warnings: warnings + self.warnings(compromises))
        case .sound(let rate, let own):
            let wanted = self.sampleRate ?? sampleRate ?? rate
            // The encoder does not have all rates and numbers of channels.
            let sampleRate = TakeEncoding.sampleRates.contains(wanted) ? wanted : 48_000
            let channels = self.channels ?? channels ?? min(own, 2)
            let more = try checked { () throws(Unsupported) in
                try sound.check(sampleRate: sampleRate, channels: channels)
            }
            let form = LiveForm(source: .sound(sampleRate: sampleRate, channels: channels), width: 0, height: 0)
            return OpenedDevice(input: input, form: form, warnings: warnings + self.warnings(compromises + more))
        }
    }

    private func checked<Value>(_ body: () throws(Unsupported) -> Value) throws(RecorderFailure) -> Value {
        do throws(Unsupported) { return try body() } catch { throw RecorderFailure(error.reason) }
    }

    // MARK: Cameras

    private func openCamera(_ warn: (String) -> Void) throws -> OpenedDevice {
        let (path, modes) =
            try input.url.isEmpty ? firstCamera(warn) : (input.url, DeviceQuery.camera(input.url).modes)
        let choice = try checked { () throws(Unsupported) in try camera.choice(among: modes) }
        var description = LiveInput.Description(format: "v4l2", url: path)
        if let choice, let format = choice.mode.inputFormat {
            description.options = ["input_format": format, "video_size": "\(choice.width)x\(choice.height)"]
            if let rate = choice.rate { description.options["framerate"] = "\(rate)" }
        } else {
            if let width = camera.width, let height = camera.height {
                description.options["video_size"] = "\(width)x\(height)"
            }
            description.options["framerate"] = "\(camera.frameRate ?? Rational(30))"
        }
        let opened = try LiveInput(description, .picture, name: name)
        guard case .picture(let own, let ownHeight, let rate) = opened.form else {
            throw RecorderFailure("it delivers no pictures")
        }
        let compromises = try checked { () throws(Unsupported) in
            try camera.check(width: own, height: ownHeight, frameRate: rate)
        }
        // The take has the size that the camera delivers, because pixels are not made up. Effects
        // have a size of their own.
        return try self.opened(
            opened, compromises, width: camera.isScaled ? width : nil, height: camera.isScaled ? height : nil)
    }

    /// The first camera that answers, by its path. Each is asked in a process of its own.
    /// - Parameter warn: called with why cameras before it are left out: sentences.
    private func firstCamera(_ warn: (String) -> Void) throws(RecorderFailure) -> (String, [CameraMode]) {
        let queries = DeviceQuery.cameras
        var problems: [String] = []
        for (query, answer) in zip(queries, DeviceFinder.ask(queries, for: 1_500)) {
            guard case .camera(let path) = query else { continue }
            problems += answer?.problems ?? ["\(query.name) did not answer."]
            guard let device = answer?.devices.first, case .camera(let modes) = device.ability else { continue }
            for problem in problems { warn(problem) }
            return (path, modes)
        }
        guard let first = problems.first else {
            throw RecorderFailure("there is no camera; ‘cutroom record --list’ shows what there is")
        }
        throw RecorderFailure("no camera can be used: " + first.dropLast())
    }

    // MARK: Sound

    private func openPulse() throws -> OpenedDevice {
        let isDefault = input.url.isEmpty
        let sources: [Device]
        do throws(RecorderFailure) {
            sources = try DeviceQuery.pulseSources()
        } catch {
            guard isDefault else {
                throw RecorderFailure("\(error.reason); start it, or name another source with ‘--audio’")
            }
            return try openWithoutPulse()
        }
        guard !sources.isEmpty else {
            throw RecorderFailure(
                "PulseAudio has no sources; connect a microphone, or record without sound with ‘--audio none’")
        }
        guard isDefault || sources.contains(where: { $0.source == "pulse:" + input.url }) else {
            let names = sources.map { "‘\($0.source)’" }.joined(separator: ", ")
            throw RecorderFailure("PulseAudio has no such source; it has \(names)")
        }
        var description = input
        if isDefault { description.url = "default" }
        let (rate, channels) = (sound.sampleRate ?? 48_000, sound.channels ?? 2)
        description.options["sample_rate"] = "\(rate)"
        description.options["channels"] = "\(channels)"
        // Packets of 10 ms, of two bytes for each sample.
        description.options["fragment_size"] = "\(max(1, rate / 100) * channels * 2)"
        return try opened(
            LiveInput(description, .sound, name: name), [], sampleRate: sound.sampleRate, channels: sound.channels)
    }

    private func openWithoutPulse() throws -> OpenedDevice {
        guard (try? DeviceQuery.alsa("default")) != nil else {
            throw RecorderFailure(
                "neither PulseAudio nor ALSA has a device; name a source that ‘cutroom record --list’ shows, "
                    + "or record without sound with ‘--audio none’")
        }
        return try openALSA(
            "default", ["‘\(name)’: PulseAudio does not run, so that ALSA's default device is recorded."])
    }

    private func openALSA(_ device: String, _ warnings: [String]) throws -> OpenedDevice {
        let modes = try DeviceQuery.alsa(device)
        let choice = try checked { () throws(Unsupported) in try sound.choice(among: modes) }
        var description = LiveInput.Description(format: "alsa", url: device)
        if let choice {
            description.options = ["sample_rate": "\(choice.sampleRate)", "channels": "\(choice.channels)"]
        }
        return try opened(
            LiveInput(description, .sound, name: name), choice?.compromises ?? [],
            sampleRate: sound.sampleRate.map { choice?.sampleRate ?? $0 },
            channels: sound.channels.map { min($0, choice?.channels ?? $0) }, warnings: warnings)
    }
}
