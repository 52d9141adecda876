import CAVDevice
import Files
import Foundation
import Glibc
import Media
import Recording
import Values

/// A process that reads one device and sends what comes to the recorder. It has no other purpose,
/// so that it can be killed where a device never returns from a call.
struct DeviceMain {
    let launch: DeviceLaunch
    private let pipe: DevicePipe

    /// Half a frame at 30 frames per second, in nanoseconds.
    private static let tolerance: Int64 = 16_000_000

    /// Milliseconds of sound in which a device shows when it began, at most.
    private static let warmUp: Int64 = 300

    /// Runs until the device or the recorder ends.
    static func run(_ launch: DeviceLaunch) -> Never {
        let pipe = DevicePipe()
        avdevice_register_all()
        let device = DeviceMain(launch: launch, pipe: pipe)
        var isOpen = false
        do {
            let opened = try launch.open { pipe.send(.warning, $0) }
            isOpen = true
            for warning in opened.warnings { pipe.send(.warning, warning) }
            try device.run(opened)
        } catch {
            pipe.send(.lost, launch.reason(error, wasOpen: isOpen))
        }
        _exit(0)
    }

    private init(launch: DeviceLaunch, pipe: DevicePipe) { (self.launch, self.pipe) = (launch, pipe) }

    private func run(_ device: OpenedDevice) throws {
        send(device.form)
        do {
            switch device.form.source {
            case .picture: try sendPictures(of: device.input, device.form)
            case .sound(let sampleRate, let channels): try sendSound(of: device.input, sampleRate, channels)
            }
        } catch let error as MediaError {
            throw launch.end(error).map { RecorderFailure($0) } ?? error
        }
    }

    private func send(_ form: LiveForm) {
        guard let json = try? JSONEncoder().encode(form) else { preconditionFailure("a form is encodable") }
        pipe.send(.form, Array(json), at: Clock.now)
    }

    private func sendSound(of input: LiveInput, _ sampleRate: Int, _ channels: Int) throws(MediaError) {
        var clock = SourceClock(tolerance: Self.tolerance)
        let sound = try SteadySound(sampleRate: sampleRate, channels: channels, name: launch.name)
        // The first blocks show when the device's first sample was captured; they are not sent.
        var (times, position, isBegun) = (SampleTimes(sampleRate: sampleRate), Int64(0), false)
        let moves = launch.input.format == "pulse" ? StreamMoves() : nil
        try input.read(sampleRate: sampleRate, channels: channels) { planes, count, time throws(MediaError) in
            for name in moves?.take() ?? [] {
                pipe.send(.warning, "The sound of ‘\(launch.name)’ now comes from ‘\(name)’.")
            }
            let length = Int64(count) * 1_000_000_000 / Int64(max(1, sampleRate))
            let captured = clock.time(time, length: length, now: Clock.both)
            // What is not yet known exactly would change the sound's pitch.
            guard clock.isSettled else { return true }
            guard !isBegun else {
                return try sound.append(planes, count: count, at: captured) { send($0, $1, at: $2) }
            }
            times.note(captured, of: position)
            defer { position += Int64(count) }
            guard times.areMany || position * 1000 > Int64(sampleRate) * Self.warmUp else { return true }
            isBegun = true
            return try sound.append(planes, count: count, at: times.time(of: position) ?? captured) {
                send($0, $1, at: $2)
            }
        }
    }

    private func sendPictures(of input: LiveInput, _ form: LiveForm) throws {
        var clock = SourceClock(tolerance: Self.tolerance, isMonotonic: launch.input.format == "v4l2")
        if launch.input.options["window_id"] != nil {
            let window = try WindowReader(launch, form) { pipe.send(.warning, $0) }
            return try window.read(input) { picture, time throws(MediaError) in
                send(picture, at: clock.time(time, now: Clock.both))
            }
        }
        try input.read(
            width: form.width, height: form.height, degrees: launch.degrees, isMirrored: launch.isMirrored
        ) { picture, time throws(MediaError) in
            send(picture, at: clock.time(time, now: Clock.both))
        }
    }

    private func send(_ picture: Picture, at time: Int64) -> Bool {
        let size = Picture.pipedSize(width: picture.width, height: picture.height)
        return pipe.send(header: .picture, size, at: time) && picture.write(to: pipe.descriptor)
    }

    private func send(_ planes: [UnsafePointer<Float>], _ count: Int, at time: Int64) -> Bool {
        var bytes: [UInt8] = []
        for plane in planes { bytes += UnsafeRawBufferPointer(UnsafeBufferPointer(start: plane, count: count)) }
        return pipe.send(.samples, bytes, at: time)
    }
}

extension DeviceLaunch {
    /// Why a source cannot be opened or read: half a sentence.
    fileprivate func reason(_ error: any Error, wasOpen: Bool) -> String {
        if let failure = error as? RecorderFailure { return failure.reason }
        guard let error = error as? MediaError else { return "\(error)" }
        if input.format == "v4l2", let code = error.libavCode, [EBUSY, EACCES, EPERM, ENODEV].contains(-code) {
            return DeviceQuery.failure(ofCamera: -code).reason
        }
        return SourceReason.text(error, self, wasOpen: wasOpen)
    }

    /// How a device ended that was read: half a sentence; nil: what libavdevice says of it.
    fileprivate func end(_ error: MediaError) -> String? {
        switch (input.format, error.libavCode.map { -$0 }) {
        case ("v4l2", ENODEV), ("alsa", ENODEV): "it was disconnected"
        case ("alsa", EIO): "it was disconnected, or its sound server has ended"
        default: nil
        }
    }
}
