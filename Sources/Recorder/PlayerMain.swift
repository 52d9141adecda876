import CAVDevice
import Foundation
import Glibc
import Media
import Synchronization
import Values

/// A process that plays the background of a recording on one device, and tells the recorder when it
/// is heard. It can be killed where the device never returns from a call.
struct PlayerMain {
    private let pipe: DevicePipe
    private let device: LiveOutput
    private let sound: BackgroundSound
    private let name: String

    private static let (sampleRate, channels) = (48_000, 2)
    /// Samples that are written at once: 10 ms.
    private static let blockSize = 480
    /// Nanoseconds between signs of life.
    private static let pace: Int64 = 250_000_000

    /// Runs until the device or the recorder ends.
    static func run(_ launch: PlayerLaunch) -> Never {
        let pipe = DevicePipe()
        avdevice_register_all()
        let command = Mutex<PlayerCommand?>(nil)
        do throws(MediaError) {
            let player = try PlayerMain(launch, pipe)
            Thread.detachNewThread {
                while let line = readLine() {
                    guard let next = try? JSONDecoder().decode(PlayerCommand.self, from: Data(line.utf8)) else {
                        continue
                    }
                    command.withLock { $0 = next }
                }
                _exit(0)
            }
            try player.run {
                command.withLock { command in
                    defer { command = nil }
                    return command
                }
            }
        } catch {
            let reason = SourceReason.logged(error)
            let text =
                error.path == launch.output
                ? "the output ‘\(launch.output)’ does not work: \(reason); name another one with ‘--playback’, or none"
                : reason
            pipe.send(.lost, text)
        }
        _exit(0)
    }

    private init(_ launch: PlayerLaunch, _ pipe: DevicePipe) throws(MediaError) {
        self.pipe = pipe
        name = launch.output
        sound = try BackgroundSound(launch.sound, sampleRate: Self.sampleRate, channels: Self.channels)
        device = try LiveOutput(
            format: launch.format, device: launch.device, sampleRate: Self.sampleRate, channels: Self.channels,
            name: name)
    }

    /// What is being played.
    private struct Playing {
        let steady: SteadyPlayback
        /// The place in the draft of the first sample, and how fast the draft's time goes by.
        let place: Time
        let pace: Double
        /// When the first sample is heard; nil: it is not written yet.
        var begin: Int64?
        /// When it begins although the device does not run evenly.
        let deadline: Int64
    }

    /// Nanoseconds in which a device that has just been fed runs evenly.
    private static let settling: Int64 = 1_000_000_000

    /// - Parameter next: takes the last command.
    private func run(_ next: () -> PlayerCommand?) throws(MediaError) {
        var block = [Float](repeating: 0, count: Self.blockSize * Self.channels)
        var playing: Playing?
        var times = SampleTimes(sampleRate: Self.sampleRate)
        var (written, told): (Int64, Int64) = (0, 0)
        let opened = Clock.now
        var isReady = false
        while true {
            // Silence keeps the device running, so that its delay is known.
            for index in block.indices { block[index] = 0 }
            switch next() {
            case .play(let place, let pace):
                playing = try begin(at: place, pace)
                times.forget()
            case .stop: playing = nil
            case nil: break
            }
            let now = Clock.now
            if let delay = device.delay { times.note(now + delay, of: written) }
            if let waiting = playing, waiting.begin == nil, times.areSteady || now > waiting.deadline {
                let heard = times.time(of: written) ?? now
                playing?.begin = heard
                pipe.send(.playing, at: heard)
            }
            if let current = playing, current.begin != nil {
                playing = try fill(&block, current, heardAt: times.time(of: written) ?? now)
            }
            try block.withUnsafeBufferPointer { block throws(MediaError) in try device.write(block) }
            written += Int64(Self.blockSize)
            // A sound server changes its delays while a stream begins.
            isReady = isReady || times.areSteady && now - opened > Self.settling
            if now - told > Self.pace, isReady || now - opened > 2 * Self.settling {
                guard pipe.send(.alive, at: now) else { return }
                told = now
            }
        }
    }

    private func begin(at place: Time, _ pace: Double) throws(MediaError) -> Playing {
        let steady = try SteadyPlayback(sampleRate: Self.sampleRate, channels: Self.channels, name: name)
        sound.seek(to: place, pace: pace)
        try steady.prepare(read)
        return Playing(steady: steady, place: place, pace: pace, deadline: Clock.now + Self.settling)
    }

    private func read(_ count: Int, _ planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        try sound.read(count: count, into: planes)
    }

    private func fill(
        _ block: inout [Float], _ playing: Playing, heardAt heard: Int64
    ) throws(MediaError) -> Playing {
        let late = try block.withUnsafeMutableBufferPointer { block throws(MediaError) in
            try playing.steady.fill(block, heardAt: heard, from: read)
        }
        guard late != nil, let start = playing.begin else { return playing }
        // The device has left something out: go on where the draft is.
        let passed = Double(heard - start) / 1e9 * playing.pace
        var next = try begin(at: playing.place + (Time(seconds: passed) ?? .zero), playing.pace)
        next.begin = heard
        return next
    }
}
