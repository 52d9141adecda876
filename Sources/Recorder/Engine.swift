import Foundation
import Glibc
import Media
import Recording
import Values

/// The recorder's loop: takes pictures and sound from the devices, and writes the parts of takes.
final class Engine {
    private let mailbox: Mailbox
    private let report: (RecorderReport) -> Void
    private var request: SourceRequest?
    private var sources: [Source] = []
    private var part: Part?
    private var isOpening = false
    private var opened = 0
    private var hasEnded = false

    /// A source that delivers nothing for so long is lost, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    /// How long a part's end waits for what was captured before it, in nanoseconds.
    private static let lateness: Int64 = 500_000_000
    /// Nanoseconds between reports of progress.
    private static let pace: Int64 = 250_000_000

    private struct Source {
        /// Its number in messages. Each source that is opened has another one.
        let number: Int
        let isPicture: Bool
        let process: DeviceProcess
        var form: LiveForm?
        /// When it was started, or last delivered.
        var heard: Int64
        var hasDelivered = false
        /// The last picture that was captured: a part begins with it.
        var picture: LivePicture?
    }

    /// The part that is recorded.
    private final class Part {
        let writer: TakeWriter
        let path: String
        /// When it began, on the monotonic clock in nanoseconds.
        let base: Int64
        /// When it ends; nil: not known yet.
        var end: Int64?
        var endReport: PartEndReport = .stopped
        let sampleRate: Int
        let channels: Int
        var progress = PartProgress()
        var lastPicture: Int64?
        /// Up to when pictures and sound have come.
        var pictureTime: Int64
        var soundTime: Int64
        var reported: Int64
        var peak: Float = 0

        init(writer: TakeWriter, path: String, base: Int64, sound: TakeSound?) {
            (self.writer, self.path, self.base) = (writer, path, base)
            (sampleRate, channels) = (sound?.sampleRate ?? 48_000, sound?.channels ?? 0)
            (pictureTime, soundTime, reported) = (base, base, base)
        }

        /// The samples in a number of nanoseconds.
        func samples(_ nanoseconds: Int64) -> Int {
            Int(Int128(nanoseconds) * Int128(sampleRate) / 1_000_000_000)
        }
    }

    /// A picture is written at least so often, in nanoseconds.
    private static let longestPicture: Int64 = 1_000_000_000

    init(mailbox: Mailbox, report: @escaping (RecorderReport) -> Void) {
        (self.mailbox, self.report) = (mailbox, report)
    }

    /// Runs until the host says so or is gone.
    func run() {
        while !hasEnded {
            if let message = mailbox.next(before: Date(timeIntervalSinceNow: 0.05)) { handle(message) }
            // If this process was stopped, everything that came meanwhile counts first.
            if mailbox.isEmpty { checkSources() }
            check()
        }
        for source in sources { source.process.end() }
    }

    private func handle(_ message: Message) {
        switch message {
        case .command(let command): handle(command)
        case .hostEnded:
            // The part stays as it is; the next host joins it.
            if part != nil { endPart(.stopped) }
            hasEnded = true
        case .form(let number, let form):
            guard let index = index(number) else { return }
            sources[index].form = form
        case .picture(let source, let picture): take(picture, of: source)
        case .samples(let source, let samples): take(samples, of: source)
        case .lost(let source, let reason): lose(source, reason)
        }
    }

    // MARK: Commands

    private func handle(_ command: RecorderCommand) {
        switch command {
        case .open(let request): open(request)
        case .start(let path, let limit): start(path, limit)
        case .stop:
            guard let part else { return report(.partEnded(PartProgress(), .stopped)) }
            let now = Clock.now
            if now < part.end ?? .max { (part.end, part.endReport) = (now, .stopped) }
        case .join(let parts, let output): join(parts, output)
        case .close:
            if part != nil { endPart(.stopped) }
            hasEnded = true
        }
    }

    private func open(_ request: SourceRequest) {
        closeSources()
        self.request = request
        isOpening = true
        var launches: [(isPicture: Bool, DeviceLaunch)] = []
        if let video = request.video { launches.append((true, video.launch(request))) }
        launches += request.audio.map { (false, $0.launch()) }
        for (isPicture, launch) in launches {
            opened += 1
            do throws(RecorderFailure) {
                let process = try DeviceProcess(launch, source: opened, to: mailbox)
                sources.append(Source(number: opened, isPicture: isPicture, process: process, heard: Clock.now))
            } catch {
                return failOpening("‘\(launch.name)’ cannot be opened: \(error.reason).")
            }
        }
    }

    private func failOpening(_ reason: String) {
        isOpening = false
        closeSources()
        report(.openFailed(reason))
    }

    private func closeSources() {
        for source in sources { source.process.end() }
        sources = []
    }

    private func start(_ path: String, _ limit: Int64?) {
        guard part == nil, !sources.isEmpty, sources.allSatisfy({ $0.form != nil }) else {
            return report(.partEnded(PartProgress(), .failed("The sources are not open.")))
        }
        let (picture, sound) = (pictureSettings, soundSettings)
        do {
            let writer = try TakeWriter(path: path, picture: picture, sound: sound)
            let part = Part(writer: writer, path: path, base: Clock.now, sound: sound)
            if let limit { part.end = part.base + limit.nanoseconds }
            if limit != nil { part.endReport = .limit }
            self.part = part
            _ = mailbox.takeDropped()
            // What is seen when the part begins.
            if let source = sources.first(where: \.isPicture), let last = source.picture {
                write(last.picture, at: part.base, part)
            }
        } catch {
            report(.partEnded(PartProgress(), .failed("\(error).")))
        }
    }

    private var pictureSettings: TakePicture? {
        guard let form = sources.first(where: \.isPicture)?.form, let request else { return nil }
        return TakePicture(width: form.width, height: form.height, frameRate: request.frameRate)
    }

    private var soundSettings: TakeSound? {
        guard case .sound(let rate, let channels)? = sources.first(where: { !$0.isPicture })?.form?.source else {
            return nil
        }
        return TakeSound(sampleRate: rate, channels: min(channels, 2))
    }

    private func join(_ parts: [String], _ output: String) {
        do {
            let result = try TakeJoiner.join(parts, output: output)
            guard result.duration > .zero else { return report(.nothingRecorded(unreadable: result.unreadable)) }
            report(
                .joined(duration: result.duration.flicks, size: result.size, unreadable: result.unreadable))
        } catch {
            report(.joinFailed("\(error)"))
        }
    }

    // MARK: Sources

    private func index(_ number: Int) -> Int? { sources.firstIndex { $0.number == number } }

    private func take(_ picture: LivePicture, of number: Int) {
        guard let index = index(number) else { return }
        (sources[index].heard, sources[index].picture) = (Clock.now, picture)
        sources[index].hasDelivered = true
        guard let part else { return }
        part.pictureTime = max(part.pictureTime, picture.time)
        if picture.time >= part.base, picture.time < part.end ?? .max { write(picture.picture, at: picture.time, part) }
    }

    private func write(_ picture: Picture, at time: Int64, _ part: Part) {
        do {
            guard try part.writer.append(picture, at: Time(nanoseconds: time - part.base)) else { return }
            part.lastPicture = time
            part.progress.frames += 1
            if part.progress.frames == 1 { report(.started) }
        } catch {
            endPart(.failed("\(error)."))
        }
    }

    private func take(_ samples: LiveSamples, of number: Int) {
        guard let index = index(number) else { return }
        (sources[index].heard, sources[index].hasDelivered) = (Clock.now, true)
        guard let part, part.channels > 0, !sources[..<index].contains(where: { !$0.isPicture }) else { return }
        let rate = Int64(part.sampleRate)
        part.soundTime = max(part.soundTime, samples.time + Int64(samples.count) * 1_000_000_000 / rate)
        // Where in the part the first sample belongs.
        let place = part.samples(samples.time - part.base)
        let written = part.writer.sampleCount
        var first = max(0, -place)
        if place > written + part.sampleRate / 25 || written == 0 && place > 0 {
            do {
                try part.writer.append(silence: min(place - written, 60 * part.sampleRate))
            } catch {
                return endPart(.failed("\(error)."))
            }
        } else if place < written - part.sampleRate / 25 {
            first = max(first, written - place)
        }
        var count = samples.count - first
        if let end = part.end {
            count = min(count, part.samples(end - part.base) - part.writer.sampleCount)
        }
        guard count > 0 else { return }
        samples.samples.withUnsafeBufferPointer { all in
            guard let start = all.baseAddress else { return }
            let planes = (0..<part.channels).map { start + $0 * samples.count + first }
            for plane in planes { for index in 0..<count { part.peak = max(part.peak, abs(plane[index])) } }
            append(planes, count, part)
        }
    }

    private func append(_ planes: [UnsafePointer<Float>], _ count: Int, _ part: Part) {
        do {
            try part.writer.append(planes, count: count)
            if part.progress.frames == 0, pictureSettings == nil {
                part.progress.frames = 1
                report(.started)
            }
        } catch {
            endPart(.failed("\(error)."))
        }
    }

    private func lose(_ number: Int, _ reason: String) {
        guard let index = index(number) else { return }
        let name = sources[index].process.name
        if isOpening { return failOpening("‘\(name)’ cannot be opened: \(reason).") }
        let text = "‘\(name)’ is lost: \(reason)."
        if let part {
            part.end = min(part.end ?? .max, Clock.now)
            endPart(.lost(text))
        } else {
            report(.lost(text))
        }
        closeSources()
    }

    // MARK: Time

    private func check() {
        let now = Clock.now
        if isOpening, sources.allSatisfy({ $0.form != nil && $0.hasDelivered }) {
            isOpening = false
            report(.opened)
        }
        guard let part else { return }
        if let end = part.end, now >= end, hasArrived(upTo: end, part) || now - end > Self.lateness {
            return endPart(part.endReport)
        }
        if let last = part.lastPicture, now - last > Self.longestPicture, now < part.end ?? .max,
            let picture = sources.first(where: \.isPicture)?.picture
        {
            write(picture.picture, at: now, part)
        }
        guard self.part != nil else { return }
        if now - part.reported >= Self.pace {
            part.reported = now
            report(.progress(progress(part, until: min(now, part.end ?? .max))))
            part.peak = 0
        }
    }

    private func checkSources() {
        guard let late = sources.first(where: { Clock.now - $0.heard > Self.patience }) else { return }
        lose(late.number, "it has delivered nothing for \(Self.patience / 1_000_000_000) s")
    }

    private func hasArrived(upTo end: Int64, _ part: Part) -> Bool {
        (pictureSettings == nil || part.pictureTime >= end) && (part.channels == 0 || part.soundTime >= end)
    }

    private func progress(_ part: Part, until end: Int64) -> PartProgress {
        var progress = part.progress
        progress.duration = Time(nanoseconds: max(0, end - part.base)).flicks
        progress.size = part.writer.size
        progress.lost += mailbox.takeDropped()
        part.progress.lost = progress.lost
        var disk = statvfs()
        if statvfs((part.path as NSString).deletingLastPathComponent, &disk) == 0 {
            progress.free = Int64(clamping: UInt64(disk.f_bavail) * UInt64(disk.f_frsize))
        }
        if part.channels > 0 { progress.level = Double(20 * log10(max(part.peak, 1e-6))) }
        return progress
    }

    private func endPart(_ reason: PartEndReport) {
        guard let part else { return }
        self.part = nil
        let end = min(part.end ?? .max, Clock.now)
        var progress = progress(part, until: end)
        do {
            // Sound that has not come is silence: both tracks end together.
            if part.channels > 0 {
                let whole = part.samples(end - part.base)
                try part.writer.append(silence: min(max(0, whole - part.writer.sampleCount), 60 * part.sampleRate))
            }
            try part.writer.finish(at: Time(nanoseconds: max(1, end - part.base)))
            progress.size = part.writer.size
            report(.partEnded(progress, reason))
        } catch {
            if case .failed = reason {
                report(.partEnded(progress, reason))
            } else {
                report(.partEnded(progress, .failed("\(error).")))
            }
        }
    }
}

extension Time {
    /// The nearest flick to a number of nanoseconds.
    init(nanoseconds: Int64) { self.init(value: nanoseconds, timeBase: 1, 1_000_000_000) }
}

extension Int64 {
    /// Nanoseconds in this number of flicks.
    fileprivate var nanoseconds: Int64 {
        Int64(Time(flicks: self).rounded(rate: Rational(1_000_000_000)))
    }
}

extension VideoSource {
    func launch(_ request: SourceRequest) -> DeviceLaunch {
        switch self {
        case .test:
            let (width, height) = (request.width ?? 1280, request.height ?? 720)
            let graph = "testsrc2=size=\(width)x\(height):rate=\(request.frameRate),realtime"
            return launch("test", "lavfi", graph, [:], request)
        case .screen(let region):
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            var options = ["framerate": "\(request.frameRate)"]
            guard let region else { return launch("screen", "x11grab", display, options, request) }
            options["video_size"] = "\(region.width)x\(region.height)"
            return launch("screen", "x11grab", "\(display)+\(region.x),\(region.y)", options, request)
        case .window(let id):
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            let options = ["framerate": "\(request.frameRate)", "window_id": "\(id)"]
            return launch("window:\(id)", "x11grab", display, options, request)
        case .camera(let device):
            var options = ["framerate": "\(request.frameRate)"]
            if let width = request.width, let height = request.height { options["video_size"] = "\(width)x\(height)" }
            return launch("camera:\(device)", "v4l2", device, options, request)
        case .pipe(let path): return launch("pipe:\(path)", "nut", "file:" + path, [:], request)
        }
    }

    private func launch(
        _ name: String, _ format: String, _ url: String, _ options: [String: String], _ request: SourceRequest
    ) -> DeviceLaunch {
        DeviceLaunch(
            name: name, input: LiveInput.Description(format: format, url: url, options: options), width: request.width,
            height: request.height)
    }
}

extension AudioSource {
    func launch() -> DeviceLaunch {
        switch self {
        case .test:
            let graph = "sine=frequency=440:beep_factor=4:sample_rate=48000:samples_per_frame=480,arealtime"
            return launch("test", "lavfi", graph)
        // Packets of 10 ms.
        case .pulse(let source):
            return launch(
                source ?? "default", "pulse", source ?? "default", ["fragment_size": "1920", "name": "cutroom"])
        case .alsa(let device): return launch("alsa:\(device)", "alsa", device)
        case .pipe(let path): return launch("pipe:\(path)", "nut", "file:" + path)
        }
    }

    private func launch(
        _ name: String, _ format: String, _ url: String, _ options: [String: String] = [:]
    ) -> DeviceLaunch {
        DeviceLaunch(name: name, input: LiveInput.Description(format: format, url: url, options: options))
    }
}
