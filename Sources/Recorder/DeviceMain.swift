import CAVDevice
import CPosix
import Files
import Foundation
import Glibc
import Media
import Values

/// A process that reads one device and sends what comes to the recorder. It has no other purpose,
/// so that it can be killed where a device never returns from a call.
struct DeviceMain {
    let launch: DeviceLaunch
    /// The recorder's pipe.
    private let output: Int32

    /// Half a frame at 30 frames per second, in nanoseconds.
    private static let tolerance: Int64 = 16_000_000

    /// `F_SETPIPE_SZ` of fcntl(2), which Swift does not import.
    private static let setPipeSize: Int32 = 1031

    /// Runs until the device or the recorder ends.
    static func run(_ launch: DeviceLaunch) -> Never {
        _ = cposix_die_with_parent()
        signal(SIGPIPE, SIG_IGN)
        // What libraries print must not come between the records.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard output >= 0, null >= 0 else { _exit(71) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null, descriptor) }
        _ = fcntl(output, Self.setPipeSize, 1 << 20)
        avdevice_register_all()
        let device = DeviceMain(launch: launch, output: output)
        var isOpen = false
        do {
            let input = try LiveInput(launch.input, launch.kind, name: launch.name)
            isOpen = true
            try device.read(input)
        } catch let error as MediaError {
            device.send(.lost, SourceReason.text(error, launch, wasOpen: isOpen))
        } catch let error as RecorderFailure {
            device.send(.lost, error.reason)
        } catch {
            device.send(.lost, "\(error)")
        }
        _exit(0)
    }

    private init(launch: DeviceLaunch, output: Int32) { (self.launch, self.output) = (launch, output) }

    private func read(_ input: LiveInput) throws {
        var (width, height) = (launch.width ?? 0, launch.height ?? 0)
        if width == 0, case .picture(let own, let ownHeight, _) = input.form {
            (width, height) = (max(2, own & ~1), max(2, ownHeight & ~1))
        }
        var form = LiveForm(source: input.form, width: width, height: height)
        guard case .sound(let rate, let channels) = input.form else {
            send(form)
            return try sendPictures(of: input, form)
        }
        let (sampleRate, count) = (launch.sampleRate ?? rate, launch.channels ?? min(channels, 2))
        form.source = .sound(sampleRate: sampleRate, channels: count)
        send(form)
        try sendSound(of: input, sampleRate, count)
    }

    private func send(_ kind: DeviceStream.Kind, _ text: String) { send(kind, Array(text.utf8), at: Clock.now) }

    private func send(_ form: LiveForm) {
        guard let json = try? JSONEncoder().encode(form) else { preconditionFailure("a form is encodable") }
        send(.form, Array(json), at: Clock.now)
    }

    private func sendSound(of input: LiveInput, _ sampleRate: Int, _ channels: Int) throws(MediaError) {
        var clock = SourceClock(tolerance: Self.tolerance)
        let sound = try SteadySound(sampleRate: sampleRate, channels: channels, name: launch.name)
        let moves = launch.input.format == "pulse" ? StreamMoves() : nil
        try input.read(sampleRate: sampleRate, channels: channels) { planes, count, time throws(MediaError) in
            for name in moves?.take() ?? [] {
                send(.warning, "The sound of ‘\(launch.name)’ now comes from ‘\(name)’.")
            }
            let length = Int64(count) * 1_000_000_000 / Int64(max(1, sampleRate))
            let captured = clock.time(time, length: length, now: Clock.both)
            // What is not yet known exactly would change the sound's pitch.
            guard clock.isSettled else { return true }
            return try sound.append(planes, count: count, at: captured) { send($0, $1, at: $2) }
        }
    }

    private func sendPictures(of input: LiveInput, _ form: LiveForm) throws {
        var clock = SourceClock(tolerance: Self.tolerance)
        if launch.input.options["window_id"] != nil {
            let window = try WindowReader(launch, form) { send(.warning, $0) }
            return try window.read(input) { picture, time throws(MediaError) in
                send(picture, at: clock.time(time, now: Clock.both))
            }
        }
        try input.read(width: form.width, height: form.height, isMirrored: launch.isMirrored) {
            picture, time throws(MediaError) in
            send(picture, at: clock.time(time, now: Clock.both))
        }
    }

    private func send(_ picture: Picture, at time: Int64) -> Bool {
        let size = (0..<3).reduce(0) { $0 + picture.size(ofPlane: $1).width * picture.size(ofPlane: $1).height }
        guard send(header: .picture, size, at: time) else { return false }
        for index in 0..<3 {
            let (width, height) = picture.size(ofPlane: index)
            let (plane, stride) = (UnsafePointer(picture.plane(index)), picture.stride(index))
            if stride == width {
                guard writeAll(UnsafeRawBufferPointer(start: plane, count: width * height), to: output) else {
                    return false
                }
                continue
            }
            var rows: [UInt8] = []
            rows.reserveCapacity(width * height)
            for row in 0..<height { rows += UnsafeBufferPointer(start: plane + row * stride, count: width) }
            guard writeAll(rows, to: output) else { return false }
        }
        return true
    }

    private func send(_ planes: [UnsafePointer<Float>], _ count: Int, at time: Int64) -> Bool {
        var bytes: [UInt8] = []
        for plane in planes { bytes += UnsafeRawBufferPointer(UnsafeBufferPointer(start: plane, count: count)) }
        return send(.samples, bytes, at: time)
    }

    /// - Returns: false where the recorder is gone.
    @discardableResult
    private func send(_ kind: DeviceStream.Kind, _ bytes: [UInt8], at time: Int64) -> Bool {
        send(header: kind, bytes.count, at: time) && writeAll(bytes, to: output)
    }

    private func send(header kind: DeviceStream.Kind, _ size: Int, at time: Int64) -> Bool {
        let header = DeviceStream.Header(kind: kind.rawValue, size: UInt32(size), time: time)
        return withUnsafeBytes(of: header) { writeAll($0, to: output) }
    }
}
