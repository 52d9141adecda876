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
    private var clock = SourceClock()

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
        var device = DeviceMain(launch: launch, output: output)
        do throws(MediaError) {
            try device.run()
        } catch {
            device.send(.lost, Array(reason(error).utf8), at: Clock.now)
        }
        _exit(0)
    }

    /// Devices say in libav's log what is wrong, and return that something is.
    private static func reason(_ error: MediaError) -> String {
        guard error.code == .read, let line = error.log.last else { return error.reason }
        let text = line.firstRange(of: "] ").map { line[$0.upperBound...] } ?? line[...]
        return text.hasSuffix(".") ? String(text.dropLast()) : String(text)
    }

    private init(launch: DeviceLaunch, output: Int32) { (self.launch, self.output) = (launch, output) }

    private mutating func run() throws(MediaError) {
        let input = try LiveInput(launch.input, name: launch.name)
        var (width, height) = (launch.width ?? 0, launch.height ?? 0)
        if width == 0, case .picture(let own, let ownHeight, _) = input.form {
            (width, height) = (max(2, own & ~1), max(2, ownHeight & ~1))
        }
        let form = LiveForm(source: input.form, width: width, height: height)
        guard let json = try? JSONEncoder().encode(form) else { preconditionFailure("a form is encodable") }
        send(.form, Array(json), at: Clock.now)
        try input.read(width: width, height: height) { content, time throws(MediaError) in
            switch content {
            case .picture(let picture): send(picture, at: clock.time(time))
            case .samples(let planes, let count): send(planes, count, at: clock.time(time, length: length(count, form)))
            }
        }
    }

    /// Nanoseconds.
    private func length(_ count: Int, _ form: LiveForm) -> Int64 {
        guard case .sound(let rate, _) = form.source, rate > 0 else { return 0 }
        return Int64(count) * 1_000_000_000 / Int64(rate)
    }

    private func send(_ picture: Picture, at time: Int64) -> Bool {
        let size = (0..<3).reduce(0) { $0 + picture.size(ofPlane: $1).width * picture.size(ofPlane: $1).height }
        guard send(header: .picture, size, at: time) else { return false }
        for index in 0..<3 {
            let (width, height) = picture.size(ofPlane: index)
            let (plane, stride) = (UnsafePointer(picture.plane(index)), picture.stride(index))
            if stride == width {
                guard write(all: UnsafeRawBufferPointer(start: plane, count: width * height)) else { return false }
                continue
            }
            var rows: [UInt8] = []
            rows.reserveCapacity(width * height)
            for row in 0..<height { rows += UnsafeBufferPointer(start: plane + row * stride, count: width) }
            guard rows.withUnsafeBytes({ write(all: $0) }) else { return false }
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
        send(header: kind, bytes.count, at: time) && bytes.withUnsafeBytes { write(all: $0) }
    }

    private func send(header kind: DeviceStream.Kind, _ size: Int, at time: Int64) -> Bool {
        let header = DeviceStream.Header(kind: kind.rawValue, size: UInt32(size), time: time)
        return withUnsafeBytes(of: header) { write(all: $0) }
    }

    private func write(all bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(output, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}

/// Puts a source's times on the monotonic clock.
struct SourceClock {
    /// A source whose times are this close to the wall clock has the wall clock. Microseconds.
    private static let nearby: Int64 = 10_000_000
    /// Nanoseconds from the source's clock to the monotonic one; nil before the first time.
    private var offset: Int64?

    /// The moment at which the content was captured, in nanoseconds.
    /// - Parameters:
    ///   - time: the source's, in microseconds; nil: it gives none.
    ///   - length: of the content, in nanoseconds: it arrives when its last sample was captured.
    mutating func time(_ time: Int64?, length: Int64 = 0) -> Int64 {
        let (now, wall) = (Clock.now, Clock.wall)
        guard let time, time.magnitude < 1 << 53 else { return now - length }
        if (time - wall / 1000).magnitude < UInt64(Self.nearby) {
            return min(time * 1000 + (now - wall), now)
        }
        // Nothing arrives before it was captured: the quickest arrival is the best measure. A clock
        // that falls back by a second has jumped.
        let measured = now - length - time * 1000
        if let offset, offset <= measured, measured - offset < 1_000_000_000 { return time * 1000 + offset }
        offset = measured
        return time * 1000 + measured
    }
}
