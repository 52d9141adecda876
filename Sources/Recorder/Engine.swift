import Delivery
import Foundation
import Glibc
import Media
import Recording
import Values

/// The recorder's loop: takes pictures and sound from the devices, and writes the parts of takes.
final class Engine {
    private let mailbox: Mailbox
    private let output: (RecorderReport) -> Void
    private var request: SourceRequest?
    private var sources: [Source] = []
    private var part: Part?
    /// The part that begins when the background is heard.
    private var starting: Starting?
    private var isOpening = false
    private var opened = 0
    private var hasEnded = false
    /// Threads that work on files, and whether one of them completes a part.
    private var working = 0
    private var isEndingPart = false
    /// The last report, and the last turn of the loop.
    private var reported = Clock.now
    private var turned = Clock.now
    /// When this process went on after it was stopped: sources are heard again from then on.
    private var resumed: Int64 = 0
    private var effects: (state: LiveEffects<LivePicture>, process: EffectProcess)?
    private var effectProcesses = 0
    /// The source that has ended while pictures are under way, why, and when.
    private var ending: (number: Int, reason: String, time: Int64)?

    /// A source that delivers nothing for so long is lost, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    /// How long a part's end waits for what was captured before it to come, in nanoseconds.
    private static let lateness: Int64 = 500_000_000
    /// Nanoseconds between reports of progress.
    private static let pace: Int64 = 250_000_000
    /// Nanoseconds after which the host hears that the recorder is alive.
    private static let silence: Int64 = 1_000_000_000

    private struct Source {
        enum Kind { case picture, second, sound, player }

        /// Its number in messages. Each source that is opened has another one.
        let number: Int
        let kind: Kind
        let process: DeviceProcess
        var form: LiveForm?
        var hasDelivered = false
        /// The last picture that was captured: a part begins with it.
        var picture: LivePicture?

        var isOpen: Bool { form != nil || kind == .player }
        /// A take continues without it.
        var isOptional: Bool { kind == .player || kind == .second }
    }

    private struct Starting {
        let path: String
        let limit: Int64?
        /// When it begins without the background.
        let deadline: Int64
    }

    /// A device that does not play for so long is not waited for, in nanoseconds.
    private static let longestSilence: Int64 = 2_000_000_000

    /// The pictures of one source in the part that is recorded.
    private final class PictureTrack {
        let writer: TakeWriter
        /// The time of the last picture that was written.
        var last: Int64?
        /// Up to when pictures have come.
        var time: Int64
        /// When its source was lost; nil: it was not.
        var end: Int64?

        init(_ writer: TakeWriter, base: Int64) { (self.writer, time) = (writer, base) }
    }

    /// The part that is recorded.
    private final class Part {
        /// The first picture, and the sound.
        let track: PictureTrack
        /// The second picture; nil: there is none.
        let second: PictureTrack?
        let path: String
        /// When it began, on the monotonic clock in nanoseconds.
        let base: Int64
        /// When it ends; nil: not known yet.
        var end: Int64?
        var endReport: PartEndReport = .stopped
        /// It ends with what has come by now.
        var isClosing = false
        let sound: PartSound
        var progress = PartProgress()
        var reported: Int64

        init(track: PictureTrack, second: PictureTrack?, path: String, base: Int64, sound: PartSound) {
            (self.track, self.second, self.path, self.base, self.sound) = (track, second, path, base, sound)
            reported = base
        }

        /// Bytes.
        var size: Int64 { track.writer.size + (second?.writer.size ?? 0) }
    }

    /// A picture is written at least so often, in nanoseconds.
    private static let longestPicture: Int64 = 1_000_000_000

    init(mailbox: Mailbox, report output: @escaping (RecorderReport) -> Void) {
        (self.mailbox, self.output) = (mailbox, output)
    }

    /// Runs until the host says so or is gone, and all files are complete.
    func run() {
        while !hasEnded || working > 0 {
            if let message = mailbox.next(within: .milliseconds(50)) { handle(message) }
            let now = Clock.now
            if now - turned > Self.silence { resumed = now }
            turned = now
            checkSources(now)
            checkEffects(now)
            check(now)
            endLate()
            if now - reported > Self.silence { report(.alive) }
        }
        closeSources()
    }

    private func report(_ report: RecorderReport) {
        reported = Clock.now
        output(report)
    }

    /// Does work that waits for the disk, and then reports.
    private func work(_ body: @escaping @Sendable () -> RecorderReport) {
        working += 1
        let mailbox = mailbox
        Thread.detachNewThread { mailbox.post(.done(body())) }
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
        case .warning(let source, let text): if index(source) != nil { report(.warning(text)) }
        case .lost(let source, let reason): end(source, reason)
        case .effected(let process, let number, let picture): takeEffected(picture, number, of: process)
        case .effectWarning(let process, let text): if effects?.process.number == process { report(.warning(text)) }
        case .effectsEnded(let process, let reason): if effects?.process.number == process { dropEffects(reason) }
        case .playing(let source, let time): takePlaying(time, of: source)
        case .alive(let source): if let index = index(source) { sources[index].hasDelivered = true }
        case .fileWarning(let text): report(.warning(text))
        case .caughtUp(let base): if let part, part.base == base { endPart(part.endReport) }
        case .done(let result):
            working -= 1
            if case .partEnded = result { isEndingPart = false }
            report(result)
        }
    }

    // MARK: Commands

    private func handle(_ command: RecorderCommand) {
        switch command {
        case .open(let request): open(request)
        case .start(let path, let limit, let place): start(path, limit, place)
        case .stop:
            if starting != nil { player?.process.send(.stop) }
            starting = nil
            guard let part else {
                if !isEndingPart { report(.partEnded(PartProgress(), .stopped)) }
                return
            }
            let now = Clock.now
            if now < part.end ?? .max { (part.end, part.endReport) = (now, .stopped) }
        case .join(let parts, let output): join(parts, output)
        case .photo(let path): takePhoto(path)
        case .effects(let launch): if !sources.isEmpty { startEffects(launch) }
        case .close:
            if part != nil { endPart(.stopped) }
            hasEnded = true
        }
    }

    private func open(_ request: SourceRequest) {
        closeSources()
        self.request = request
        isOpening = true
        var launches: [(Source.Kind, DeviceLaunch)] = []
        if let video = request.video { launches.append((.picture, video.launch(request))) }
        if let second = request.second { launches.append((.second, second.launch(request.ofSecond))) }
        launches += request.audio.map { (.sound, $0.launch(request)) }
        if request.video != nil, let effects = request.effects { startEffects(effects) }
        for (kind, launch) in launches { guard open(kind, launch) else { return } }
        if let background = request.background { _ = open(.player, background.launch) }
    }

    /// - Returns: false where the sources cannot be opened.
    private func open(_ kind: Source.Kind, _ launch: some ProcessLaunch) -> Bool {
        opened += 1
        do throws(RecorderFailure) {
            let process = try DeviceProcess(launch, source: opened, to: mailbox)
            sources.append(Source(number: opened, kind: kind, process: process))
            return true
        } catch {
            failOpening("‘\(launch.name)’ cannot be opened: \(error.reason).")
            return false
        }
    }

    private func failOpening(_ reason: String) {
        isOpening = false
        closeSources()
        report(.openFailed(reason))
    }

    private func closeSources() {
        (starting, ending) = (nil, nil)
        effects?.process.end()
        effects = nil
        DeviceProcess.end(sources.map(\.process))
        sources = []
    }

    private func start(_ path: String, _ limit: Int64?, _ place: PartPlace) {
        guard part == nil, !sources.isEmpty, sources.allSatisfy(\.isOpen) else {
            return report(.partEnded(PartProgress(), .lost("The sources are closed.")))
        }
        guard let player else { return begin(path, limit, at: Clock.now) }
        starting = Starting(path: path, limit: limit, deadline: Clock.now + Self.longestSilence)
        player.process.send(.play(place.time, pace: place.speed.reciprocal.doubleValue))
    }

    private var player: Source? { sources.first { $0.kind == .player } }

    /// The background is heard.
    private func takePlaying(_ time: Int64, of number: Int) {
        guard let starting, player?.number == number else { return }
        // A device says at most how long its own buffer is.
        begin(starting.path, starting.limit, at: min(max(time, Clock.now), Clock.now + Self.longestSilence))
    }

    /// - Parameter base: when the part begins: nanoseconds on the monotonic clock.
    private func begin(_ path: String, _ limit: Int64?, at base: Int64) {
        starting = nil
        let (sounds, mixes) = (soundSettings, request?.mixes ?? false)
        do {
            let writer = try TakeWriter(
                path: path, picture: settings(of: .picture), sounds: mixes ? Array(sounds.prefix(1)) : sounds)
            let second = try settings(of: .second).map {
                PictureTrack(try TakeWriter(path: Take.second(of: path), picture: $0, sounds: []), base: base)
            }
            let sound = PartSound(sounds, mixes: mixes, base: base, writer: writer)
            let part = Part(
                track: PictureTrack(writer, base: base), second: second, path: path, base: base, sound: sound)
            if let limit { part.end = part.base + limit.nanoseconds }
            if limit != nil { part.endReport = .limit }
            self.part = part
            _ = mailbox.takeDropped()
            if base <= Clock.now { writeFirst(part) }
        } catch {
            report(.partEnded(PartProgress(), .failed("\(error).")))
        }
    }

    /// Writes what is seen when the part begins.
    private func writeFirst(_ part: Part) {
        for kind in [Source.Kind.picture, .second] {
            guard self.part != nil, let track = pictureTrack(kind), track.last == nil, let last = source(kind)?.picture
            else {
                continue
            }
            write(last.picture, at: part.base, track, part)
        }
    }

    private func source(_ kind: Source.Kind) -> Source? { sources.first { $0.kind == kind } }

    /// What the pictures of a source of this kind are written into.
    private func pictureTrack(_ kind: Source.Kind) -> PictureTrack? { kind == .second ? part?.second : part?.track }

    /// nil: there is no such source.
    private func settings(of kind: Source.Kind) -> TakePicture? {
        guard let form = source(kind)?.form, let request else { return nil }
        var picture = TakePicture(width: form.width, height: form.height, frameRate: frameRate(of: kind))
        picture.apply(request.encoding)
        return picture
    }

    private var soundSettings: [TakeSound] {
        sources.compactMap { source in
            guard case .sound(let rate, let channels)? = source.form?.source else { return nil }
            return TakeSound(sampleRate: rate, channels: channels, bitRate: request?.encoding.audioBitRate)
        }
    }

    private func join(_ parts: [String], _ output: String) {
        let mailbox = mailbox
        work {
            // Parts that are elsewhere are not lost.
            let folder = (output as NSString).deletingLastPathComponent
            guard access(folder, F_OK) == 0 || errno != ENOENT else {
                return .joinFailed("the folder ‘\(folder)’ is gone")
            }
            do {
                let result = try TakeJoiner.join(parts, output: output)
                if result.isPart { mailbox.post(.fileWarning(Self.inPlace(output))) }
                guard result.duration > .zero else { return .nothingRecorded(damaged: result.damaged) }
                let second = try Self.joinSecond(parts, output, to: mailbox)
                return .joined(
                    duration: result.duration.flicks, size: result.size + second.size, hasPicture: result.hasPicture,
                    damaged: result.damaged + second.damaged, second: second.duration?.flicks)
            } catch {
                return .joinFailed("\(error)")
            }
        }
    }

    /// Joins the parts of the second picture.
    /// - Returns: its length, nil where there is none, the bytes of the file, and the parts that
    ///   are not all in it.
    private static func joinSecond(
        _ parts: [String], _ output: String, to mailbox: Mailbox
    ) throws(MediaError) -> (duration: Time?, size: Int64, damaged: [String]) {
        let files = parts.map(Take.second)
        // It ends where its source was lost. What comes behind a gap would be at the wrong time.
        let whole = files.prefix { access($0, F_OK) == 0 }
        let rest = files[whole.endIndex...].filter { access($0, F_OK) == 0 }
        let result = try TakeJoiner.join(Array(whole), output: Take.second(of: output))
        if result.isPart { mailbox.post(.fileWarning(inPlace(Take.second(of: output)))) }
        return (result.duration > .zero ? result.duration : nil, result.size, result.damaged + rest)
    }

    private func takePhoto(_ path: String) {
        guard let picture = source(.picture)?.picture else {
            return report(.photoFailed("There is no picture to take a photo of."))
        }
        guard let format = StillFormat(suffix: (path as NSString).pathExtension) else {
            return report(.photoFailed("‘\(path)’ must end with .png or .jpg."))
        }
        work {
            do throws(MediaError) {
                try StillImage.write(picture.picture, to: path, format: format)
                return .photoTaken(path)
            } catch {
                return .photoFailed("The photo cannot be written: \(error.description).")
            }
        }
    }

    private static func inPlace(_ output: String) -> String {
        let name = (output as NSString).lastPathComponent
        return "There was no room on the disk to complete ‘\(name)’: it stays in the form in which it was recorded."
    }

    // MARK: Sources

    private func index(_ number: Int) -> Int? { sources.firstIndex { $0.number == number } }

    private func take(_ picture: LivePicture, of number: Int) {
        guard let index = index(number) else { return }
        guard sources[index].kind == .picture, var effects else { return show(picture, of: sources[index].kind) }
        // The take continues while effects are restarted.
        let fate = effects.state.take(picture, at: Clock.now, effects.process.arrivals, mayPass: !isOpening)
        self.effects = effects
        switch fate {
        case .sent(let number): effects.process.send(picture, number: number)
        case .passed(let number):
            if let number { effects.process.send(picture, number: number) }
            show(picture, of: .picture)
        case .dropped: part?.progress.lost += 1
        }
    }

    /// Records a picture of a source of this kind as it is now.
    private func show(_ picture: LivePicture, of kind: Source.Kind) {
        guard let index = sources.firstIndex(where: { $0.kind == kind }),
            picture.time >= sources[index].picture?.time ?? .min
        else { return }
        if let part, picture.time > part.base { writeFirst(part) }
        (sources[index].hasDelivered, sources[index].picture) = (true, picture)
        guard let part, let track = pictureTrack(kind) else { return }
        track.time = max(track.time, picture.time)
        guard picture.time >= part.base, picture.time < part.end ?? .max else { return }
        write(picture.picture, at: picture.time, track, part)
    }

    private func write(_ picture: Picture, at time: Int64, _ track: PictureTrack, _ part: Part) {
        do {
            guard try track.writer.append(picture, at: Time(nanoseconds: time - part.base)) else { return }
            track.last = time
            guard track === part.track else { return }
            part.progress.frames += 1
            if part.progress.frames == 1 { report(.started) }
        } catch {
            if track === part.track { return endPart(.failed("\(error).")) }
            loseSecond("\(error)")
        }
    }

    /// The take continues without its second picture.
    /// - Parameter reason: half a sentence.
    private func loseSecond(_ reason: String) {
        guard let index = sources.firstIndex(where: { $0.kind == .second }) else { return }
        loseOptional(index, reason)
    }

    private func take(_ samples: LiveSamples, of number: Int) {
        guard let index = index(number) else { return }
        sources[index].hasDelivered = true
        guard let part else { return }
        do {
            try part.sound.take(samples, of: sources[..<index].count { $0.kind == .sound }, until: part.end)
            if part.progress.frames == 0, source(.picture) == nil {
                part.progress.frames = 1
                report(.started)
            }
        } catch {
            endPart(.failed("\(error)."))
        }
    }

    // MARK: Live effects

    private func startEffects(_ launch: LiveLaunch) {
        effects?.process.end()
        effects = nil
        effectProcesses += 1
        do throws(RecorderFailure) {
            let process = try EffectProcess(launch, number: effectProcesses, to: mailbox)
            effects = (LiveEffects(started: Clock.now), process)
        } catch {
            report(.effectsEnded("cannot be started, because \(error.reason)"))
        }
    }

    private func takeEffected(_ picture: LivePicture, _ number: Int64, of process: Int) {
        // The time is that of the picture that was sent, whatever a plugin says.
        guard effects?.process.number == process, let sent = effects?.state.receive(number) else { return }
        show(LivePicture(picture: picture.picture, time: sent.time), of: .picture)
    }

    private func checkEffects(_ now: Int64) {
        guard let (state, process) = effects else { return }
        if let fault = state.fault(at: now, process.arrivals, resumed: resumed) { dropEffects(fault) }
    }

    /// From now on, pictures are recorded without effects.
    private func dropEffects(_ reason: String) {
        guard let (state, process) = effects else { return }
        process.end()
        effects = nil
        for picture in state.missing { show(picture, of: .picture) }
        report(.effectsEnded(reason))
    }

    /// A source ends when the pictures that were captured before have come back.
    private func end(_ number: Int, _ reason: String) {
        if let index = index(number), sources[index].isOptional { return lose(number, reason, at: Clock.now) }
        if ending == nil { ending = (number, reason, Clock.now) }
        endLate()
    }

    private func endLate() {
        guard let ending, effects?.state.missing.isEmpty ?? true else { return }
        self.ending = nil
        lose(ending.number, ending.reason, at: ending.time)
    }

    /// - Parameter time: when it ended.
    private func lose(_ number: Int, _ reason: String, at time: Int64) {
        guard let index = index(number) else { return }
        let name = sources[index].process.name
        if sources[index].isOptional, !isOpening { return loseOptional(index, reason) }
        if isOpening { return failOpening("‘\(name)’ cannot be opened: \(reason).") }
        let text = "‘\(name)’ is lost: \(reason)."
        if let part, let end = part.end, end <= Clock.now {
            // The part only waited for what had not come yet.
            endPart(part.endReport)
            report(.lost(text))
        } else if let part {
            // A source that ends after its last picture has shown it for as long as each.
            let shown = part.track.last.map { $0 + frameLength } ?? 0
            endPart(.lost(text), at: min(part.end ?? .max, max(time, shown)))
        } else if starting != nil {
            report(.partEnded(PartProgress(), .lost(text)))
        } else {
            report(.lost(text))
        }
        closeSources()
    }

    /// The take continues without the second picture, or the background.
    private func loseOptional(_ index: Int, _ reason: String) {
        let source = sources.remove(at: index)
        // A process that hangs in the kernel does not end at once.
        let process = source.process
        Thread.detachNewThread { DeviceProcess.end([process]) }
        guard source.kind == .player else {
            part?.second?.end = Clock.now
            return report(.warning("The second picture ‘\(source.process.name)’ is not recorded any more: \(reason)."))
        }
        report(.warning("The background ‘\(source.process.name)’ is not played any more: \(reason)."))
        if let starting { begin(starting.path, starting.limit, at: Clock.now) }
    }

    // MARK: Time

    private func check(_ now: Int64) {
        if isOpening, sources.allSatisfy({ $0.isOpen && $0.hasDelivered }) {
            isOpening = false
            report(.opened)
        }
        if let starting, now >= starting.deadline, let index = sources.firstIndex(where: { $0.kind == .player }) {
            loseOptional(index, "the output does not begin to play")
        }
        guard let part else { return }
        if now - part.base > frameLength { writeFirst(part) }
        guard self.part != nil else { return }
        if let end = part.end, now >= end {
            if hasArrived(upTo: end, part) { return endPart(part.endReport) }
            if now - end > Self.lateness, !part.isClosing {
                // What has come in time may still wait in the mailbox.
                part.isClosing = true
                mailbox.post(.caughtUp(part: part.base))
            }
        }
        // A later picture may still be on its way.
        let repeated = now - Self.lateness
        for kind in [Source.Kind.picture, .second] where repeated < part.end ?? .max {
            guard let track = pictureTrack(kind), let last = track.last, repeated - last > Self.longestPicture,
                let picture = source(kind)?.picture
            else { continue }
            write(picture.picture, at: repeated, track, part)
        }
        guard self.part != nil else { return }
        if now - part.reported >= Self.pace {
            part.reported = now
            // A file without a name goes with its last descriptor.
            if access(part.path, F_OK) != 0, errno == ENOENT {
                return endPart(.failed("‘\(part.path)’ was moved or removed while it was recorded."))
            }
            let second = Take.second(of: part.path)
            if part.second != nil, part.second?.end == nil, access(second, F_OK) != 0, errno == ENOENT {
                loseSecond("‘\(second)’ was moved or removed while it was recorded")
            }
            report(.progress(progress(part, until: min(now, part.end ?? .max))))
            part.sound.peak = 0
        }
    }

    private func checkSources(_ now: Int64) {
        guard ending == nil,
            let late = sources.first(where: { now - max($0.process.heard, resumed) > Self.patience })
        else { return }
        end(late.number, "it has delivered nothing for \(Self.patience / 1_000_000_000) s")
    }

    private func hasArrived(upTo end: Int64, _ part: Part) -> Bool {
        [Source.Kind.picture, .second].allSatisfy { source($0) == nil || pictureTrack($0)?.time ?? end >= end }
            && part.sound.hasArrived(upTo: end)
    }

    private func progress(_ part: Part, until end: Int64) -> PartProgress {
        var progress = part.progress
        progress.duration = Time(nanoseconds: max(0, end - part.base)).flicks
        progress.size = part.size
        progress.lost += mailbox.takeDropped()
        part.progress.lost = progress.lost
        var disk = statvfs()
        if statvfs((part.path as NSString).deletingLastPathComponent, &disk) == 0 {
            progress.free = Int64(clamping: UInt64(disk.f_bavail) * UInt64(disk.f_frsize))
        }
        if !part.sound.isEmpty { progress.level = Double(20 * log10(min(max(part.sound.peak, 1e-6), 1e6))) }
        return progress
    }

    /// The frame rate that is expected: what was asked, or else what a camera has.
    private func frameRate(of kind: Source.Kind) -> Rational {
        guard let request = kind == .second ? self.request?.ofSecond : self.request else { return Rational(30) }
        guard case .camera = kind == .second ? request.second : request.video,
            case .picture(_, _, let rate)? = source(kind)?.form?.source,
            rate >= Rational(1), rate <= Rational(240)
        else { return request.usualFrameRate }
        return rate
    }

    /// That of a picture of the first source, in nanoseconds.
    private var frameLength: Int64 {
        let rate = frameRate(of: .picture)
        return 1_000_000_000 * rate.denominator / max(1, rate.numerator)
    }

    /// - Parameter end: nil: now, or the part's end if that was earlier.
    private func endPart(_ reason: PartEndReport, at end: Int64? = nil) {
        guard let part else { return }
        self.part = nil
        player?.process.send(.stop)
        let end = max(part.base, end ?? min(part.end ?? .max, Clock.now))
        let progress = progress(part, until: end)
        do {
            try part.sound.complete(to: end)
        } catch {
            return report(.partEnded(progress, reason.isFailure ? reason : .failed("\(error).")))
        }
        let ending = Ending(tracks: [part.track, part.second].compactMap(\.self), base: part.base, end: end)
        isEndingPart = true
        work { [progress] in
            var progress = progress
            do {
                progress.size = try ending.finish()
                return .partEnded(progress, reason)
            } catch {
                return .partEnded(progress, reason.isFailure ? reason : .failed("\(error)."))
            }
        }
    }

    /// The files of a part that is ended: the thread that has them is the only one that uses them.
    private struct Ending: @unchecked Sendable {
        let tracks: [PictureTrack]
        /// Nanoseconds on the monotonic clock.
        let base: Int64
        let end: Int64

        /// - Returns: the bytes of the part.
        func finish() throws(MediaError) -> Int64 {
            var failure: MediaError?
            for track in tracks {
                do throws(MediaError) {
                    try track.writer.finish(at: Time(nanoseconds: max(1, min(end, track.end ?? end) - base)))
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return tracks.reduce(0) { $0 + $1.writer.size }
        }
    }
}

extension PartEndReport {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
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
            let (width, height) = (request.sourceWidth ?? 1280, request.sourceHeight ?? 720)
            let graph = "testsrc2=size=\(width)x\(height):rate=\(request.usualFrameRate),realtime"
            return launch("test", "lavfi", graph, [:], request)
        case .screen(let region):
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            var options = ["framerate": "\(request.usualFrameRate)", "draw_mouse": request.hasPointer ? "1" : "0"]
            guard let region else { return launch("screen", "x11grab", display, options, request) }
            options["video_size"] = "\(region.width)x\(region.height)"
            return launch("screen", "x11grab", "\(display)+\(region.x),\(region.y)", options, request)
        case .window(let id):
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            let options = [
                "framerate": "\(request.usualFrameRate)", "window_id": "\(id)",
                "draw_mouse": request.hasPointer ? "1" : "0",
            ]
            return launch("window:\(id)", "x11grab", display, options, request)
        case .camera(let device):
            // Its size and its frame rate are chosen when it is opened.
            return launch(device.map { "camera:\($0)" } ?? "camera", "v4l2", device ?? "", [:], request)
        case .pipe(let path): return launch("pipe:\(path)", "nut", "file:" + path, [:], request)
        }
    }

    private func launch(
        _ name: String, _ format: String, _ url: String, _ options: [String: String], _ request: SourceRequest
    ) -> DeviceLaunch {
        var launch = DeviceLaunch(
            name: name, kind: .picture, input: LiveInput.Description(format: format, url: url, options: options))
        (launch.width, launch.height) = (request.width, request.height)
        (launch.degrees, launch.isMirrored) = (request.degrees, request.isMirrored)
        launch.camera = CameraRequest(
            width: request.sourceWidth, height: request.sourceHeight, frameRate: request.frameRate,
            compromises: request.compromises)
        launch.camera.isScaled = request.isScaled
        return launch
    }
}

extension PlayedSound {
    var launch: PlayerLaunch {
        let sound = BackgroundSound.Description(
            path: path, startTime: startTime, range: range, speed: speed, volume: volume, loops: loops)
        switch output {
        case .pulse(let sink): return PlayerLaunch(format: "pulse", device: sink, sound: sound)
        case .alsa(let device): return PlayerLaunch(format: "alsa", device: device, sound: sound)
        }
    }
}

extension AudioSource {
    func launch(_ request: SourceRequest) -> DeviceLaunch {
        switch self {
        case .test:
            let graph = "sine=frequency=440:beep_factor=4:sample_rate=48000:samples_per_frame=480,arealtime"
            return launch("test", "lavfi", graph, request)
        case .pulse(let source):
            return launch(source ?? "default", "pulse", source ?? "", request, ["name": "cutroom"])
        case .alsa(let device): return launch("alsa:\(device)", "alsa", device, request)
        case .pipe(let path): return launch("pipe:\(path)", "nut", "file:" + path, request)
        }
    }

    private func launch(
        _ name: String, _ format: String, _ url: String, _ request: SourceRequest, _ options: [String: String] = [:]
    ) -> DeviceLaunch {
        let input = LiveInput.Description(format: format, url: url, options: options)
        let encoding = request.encoding
        var launch = DeviceLaunch(name: name, kind: .sound, input: input)
        // What is mixed has one form.
        if request.mixes {
            (launch.sampleRate, launch.channels) = (encoding.sampleRate ?? 48_000, encoding.channels ?? 2)
        }
        launch.sound = SoundRequest(
            sampleRate: encoding.sampleRate, channels: encoding.channels, bitRate: encoding.audioBitRate,
            compromises: request.compromises)
        return launch
    }
}

extension TakePicture {
    mutating func apply(_ encoding: TakeEncoding) {
        bitRate = encoding.videoBitRate
        if let profile = encoding.profile { self.profile = profile }
        if let seconds = encoding.keyFrameInterval { keyFrameInterval = seconds }
    }
}
