import CDevices
import Foundation
import Glibc
import Recording
import Values

/// What devices say of themselves. Each question may never be answered: it belongs into a process
/// of its own.
enum DeviceQuery: Hashable, Codable {
    /// The X11 screen of `$DISPLAY` and its windows.
    case screen
    /// A V4L2 device, by its path.
    case camera(String)
    case pulse, alsa

    static let option = "--query"

    /// All questions that there are on this machine.
    static var all: [DeviceQuery] { [.screen] + cameras + [.pulse, .alsa] }

    static var cameras: [DeviceQuery] {
        (0..<mostCameras).map { "/dev/video\($0)" }.filter { access($0, F_OK) == 0 }.map(DeviceQuery.camera)
    }

    /// V4L2's `VIDEO_NUM_DEVICES`.
    private static let mostCameras = 256

    /// The name for messages.
    var name: String {
        switch self {
        case .screen: "The X11 server"
        case .camera(let path): "‘camera:\(path)’"
        case .pulse: "PulseAudio"
        case .alsa: "ALSA"
        }
    }

    var arguments: [String] {
        switch self {
        case .screen: [Self.option, "screen"]
        case .camera(let path): [Self.option, "camera:" + path]
        case .pulse: [Self.option, "pulse"]
        case .alsa: [Self.option, "alsa"]
        }
    }

    init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == Self.option else { return nil }
        switch arguments[1] {
        case "screen": self = .screen
        case "pulse": self = .pulse
        case "alsa": self = .alsa
        case let text where text.hasPrefix("camera:"): self = .camera(String(text.dropFirst(7)))
        default: return nil
        }
    }

    /// Asks. A missing server or display is no problem.
    func answer() -> DeviceList {
        switch self {
        case .screen: Self.screens()
        case .camera(let path): Self.listed(camera: path)
        case .pulse: DeviceList(devices: (try? Self.pulseSources()) ?? [])
        case .alsa: Self.alsaDevices()
        }
    }

    // MARK: Screens

    private static func screens() -> DeviceList {
        guard let display = ProcessInfo.processInfo.environment["DISPLAY"], !display.isEmpty else {
            return DeviceList()
        }
        let found = Collected<Device>()
        let result = cdevices_screen(
            display,
            { context, window in
                guard let context, let window = window?.pointee else { return }
                let (width, height) = (Int(window.width), Int(window.height))
                let list = Collected<Device>.from(context)
                guard window.id != 0 else {
                    list.append(Device(source: "screen", name: "", .screen(width: width, height: height)))
                    return
                }
                let source = "window:0x" + String(window.id, radix: 16)
                list.append(
                    Device(source: source, name: String(cString: window.title), .window(width: width, height: height)))
            }, found.pointer)
        guard result == 0 else {
            return DeviceList(problems: ["The X11 display ‘\(display)’ of $DISPLAY cannot be opened."])
        }
        return DeviceList(devices: found.values)
    }

    // MARK: Cameras

    private static func listed(camera path: String) -> DeviceList {
        do throws(RecorderFailure) {
            let (name, modes) = try camera(path)
            return DeviceList(devices: [Device(source: "camera:\(path)", name: name, .camera(modes))])
        } catch {
            // Some of a camera's files deliver no pictures.
            if error == Self.notACamera { return DeviceList() }
            return DeviceList(problems: ["‘camera:\(path)’ cannot be used: \(error.reason)."])
        }
    }

    static let notACamera = RecorderFailure("it is not a camera; ‘cutroom record --list’ shows what there is")

    /// The name and the modes of a camera.
    static func camera(_ path: String) throws(RecorderFailure) -> (name: String, modes: [CameraMode]) {
        let found = Collected<cdevices_mode>()
        var name = [CChar](repeating: 0, count: 64)
        let result = cdevices_camera(
            path, &name,
            { context, mode in
                guard let context, let mode = mode?.pointee else { return }
                Collected<cdevices_mode>.from(context).append(mode)
            }, found.pointer)
        guard result == 0 else { throw failure(ofCamera: -result) }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (String(decoding: bytes, as: UTF8.self), modes(found.values))
    }

    /// Why a camera cannot be opened, or read any longer.
    /// - Parameter code: an errno.
    static func failure(ofCamera code: Int32) -> RecorderFailure {
        switch code {
        case ENOENT: isMissing
        case EBUSY: isBusy
        case EACCES, EPERM:
            RecorderFailure("you may not read it; on most systems the members of the group ‘video’ may")
        case ENOTTY, ENODEV: notACamera
        default: RecorderFailure(String(cString: strerror(code)))
        }
    }

    /// Modes that differ in their rates alone become one.
    private static func modes(_ found: [cdevices_mode]) -> [CameraMode] {
        var modes: [CameraMode] = []
        for mode in found {
            let (width, height) = (
                steps(mode.least_width, mode.most_width, mode.width_step),
                steps(mode.least_height, mode.most_height, mode.height_step)
            )
            guard let width, let height else { continue }
            let (fastest, slowest) = (
                rate(mode.shortest_numerator, mode.shortest_denominator),
                rate(mode.longest_numerator, mode.longest_denominator)
            )
            var next = CameraMode(format: text(mode.format), width: width, height: height, rates: .unknown)
            if let slowest, let fastest {
                next.rates = slowest == fastest ? .list([fastest]) : .range(slowest: slowest, fastest: fastest)
            }
            if let last = modes.last, (last.format, last.width, last.height) == (next.format, width, height),
                case .list(let rates) = last.rates, case .list(let more) = next.rates
            {
                modes[modes.count - 1].rates = .list(rates + more)
            } else {
                modes.append(next)
            }
        }
        return modes
    }

    /// nil for what a broken driver tells.
    private static func steps(_ least: UInt32, _ most: UInt32, _ step: UInt32) -> CameraMode.Steps? {
        guard (1...65_536).contains(least), (least...65_536).contains(most) else { return nil }
        return CameraMode.Steps(least: Int(least), most: Int(most), step: Int(clamping: step))
    }

    /// The frame rate for the time of a frame; nil: it is not known.
    private static func rate(_ numerator: UInt32, _ denominator: UInt32) -> Rational? {
        numerator > 0 && denominator > 0 ? Rational(Int64(denominator), Int64(numerator)) : nil
    }

    private static func text(_ format: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: format >> (8 * $0)) & 0x7f }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }

    // MARK: Sound

    /// - Throws: where there is no PulseAudio.
    static func pulseSources() throws(RecorderFailure) -> [Device] {
        let found = Collected<Device>()
        let result = cdevices_pulse(
            { context, source in
                guard let context, let source = source?.pointee else { return }
                Collected<Device>.from(context).append(
                    Device(
                        source: "pulse:" + String(cString: source.name), name: String(cString: source.description),
                        .pulse(
                            sampleRate: Int(source.sample_rate), channels: Int(source.channels),
                            isDefault: source.is_default, isMonitor: source.is_monitor)))
            }, found.pointer)
        guard result == 0 else { throw RecorderFailure("PulseAudio does not run") }
        return found.values
    }

    private static func alsaDevices() -> DeviceList {
        let found = Collected<Device>()
        let result = cdevices_alsa(
            { context, name, description in
                guard let context, let name, let description else { return }
                let text = String(cString: description).split(separator: "\n").joined(separator: ", ")
                Collected<Device>.from(context).append(
                    Device(
                        source: "alsa:" + String(cString: name), name: text,
                        .alsa(SoundModes(sampleRates: [], channels: []))))
            }, found.pointer)
        guard result == 0 else { return DeviceList() }
        var list = DeviceList()
        for var device in found.values {
            do throws(RecorderFailure) {
                device.ability = .alsa(try alsa(String(device.source.dropFirst(5))))
                list.devices.append(device)
            } catch {
                // Devices are named also where there is no card or server for them.
                guard [Self.isBusy, Self.isForbidden].contains(error) else { continue }
                list.problems.append("‘\(device.source)’ cannot be used: \(error.reason).")
            }
        }
        return list
    }

    private static let isBusy = RecorderFailure("another program uses it; close that program")
    private static let isForbidden = RecorderFailure(
        "you may not read it; on most systems the members of the group ‘audio’ may")
    private static let isMissing = RecorderFailure(
        "there is no such device; ‘cutroom record --list’ shows what there is")

    /// The forms of an ALSA device.
    static func alsa(_ name: String) throws(RecorderFailure) -> SoundModes {
        let rates = TakeEncoding.sampleRates + [176_400, 192_000]
        var has = [Bool](repeating: false, count: rates.count)
        var channels: UInt32 = 0
        let result = cdevices_alsa_device(name, rates.map { UInt32($0) }, UInt32(rates.count), &has, &channels)
        switch -result {
        case 0: break
        case EBUSY: throw isBusy
        case EACCES, EPERM: throw isForbidden
        case ENOENT, ENODEV, ENXIO: throw isMissing
        case ECONNREFUSED: throw RecorderFailure("the sound server that it needs does not run")
        case let code: throw RecorderFailure(String(cString: strerror(code)))
        }
        return SoundModes(
            sampleRates: zip(rates, has).filter(\.1).map(\.0),
            channels: (1...32).filter { channels >> ($0 - 1) & 1 == 1 })
    }
}

/// What a visitor in C finds.
private final class Collected<Value> {
    private(set) var values: [Value] = []

    func append(_ value: Value) { values.append(value) }

    /// Valid as long as this object.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ pointer: UnsafeMutableRawPointer) -> Collected {
        Unmanaged<Collected>.fromOpaque(pointer).takeUnretainedValue()
    }
}
