import Composition
import HostCore
import Recording
import Values

/// The devices of a machine, as `cutroom record --list` shows them.
package struct DeviceListing {
    private let list: DeviceList

    package init(_ list: DeviceList) { self.list = list }

    /// Prints it: as JSON, or as tables, with warnings of what could not be asked.
    package func say(asJSON isJSON: Bool) {
        Console.say(isJSON ? json : text)
        if !isJSON { for problem in list.problems { Console.warn(problem) } }
    }

    // MARK: For people

    package var text: String {
        guard !list.devices.isEmpty else {
            return "There is no screen, camera or source of sound"
                + (list.problems.isEmpty ? "." : " that can be used.")
                + " ‘test’ and ‘pipe:PATH’ can be recorded everywhere."
        }
        let (pictures, sounds) = (list.devices.filter(\.isPicture), list.devices.filter { !$0.isPicture })
        return Self.table(
            "--video", pictures.flatMap(Self.rows) + [("test", "a test picture"), ("pipe:PATH", "NUT of any program")])
            + "\n\n"
            + Self.table(
                "--audio", sounds.flatMap(Self.rows) + [("test", "a test tone"), ("pipe:PATH", "NUT of any program")])
    }

    private static func table(_ title: String, _ rows: [(String, String)]) -> String {
        // One long name does not move all others.
        let width = min(44, rows.map(\.0.count).max() ?? 0)
        let lines = rows.map { left, right in
            let space = String(repeating: " ", count: max(0, width - left.count) + 2)
            return ("  " + left + (right.isEmpty ? "" : space + right))
        }
        return ([title] + lines).joined(separator: "\n")
    }

    private static func rows(_ device: Device) -> [(String, String)] {
        func line(_ parts: String...) -> String { parts.filter { !$0.isEmpty }.joined(separator: ", ") }
        switch device.ability {
        case .screen(let width, let height): return [(device.source, "\(width)x\(height)")]
        case .window(let width, let height): return [(device.source, line("\(width)x\(height)", device.name))]
        case .camera(let modes):
            return [(device.source, device.name)] + modes.grouped.map { ("", $0) }
        case .pulse(let rate, let channels, let isDefault, let isMonitor):
            return [
                (
                    device.source,
                    line(
                        device.name, "\(rate) Hz", Self.count(channels), isMonitor ? "what the system plays" : "",
                        isDefault ? "default" : "")
                )
            ]
        case .alsa(let modes):
            let rates = modes.sampleRates.map(String.init).ends
            let channels = modes.channels.map(String.init).ends
            return [
                (
                    device.source,
                    line(
                        device.name, rates.isEmpty ? "" : rates + " Hz",
                        channels.isEmpty ? "" : channels + (channels == "1" ? " channel" : " channels"))
                )
            ]
        }
    }

    private static func count(_ channels: Int) -> String { channels == 1 ? "1 channel" : "\(channels) channels" }

    // MARK: For programs

    package var json: String { prettyJSON(Document(list)) }

    /// `docs/record-devices.schema.json` describes it.
    private struct Document: Encodable {
        let devices: [Entry]
        let problems: [String]

        init(_ list: DeviceList) {
            devices = list.devices.map(Entry.init) + Entry.always("test") + Entry.always("pipe")
            problems = list.problems
        }
    }

    private struct Entry: Encodable {
        var kind: String
        /// The option that takes the source.
        var option: String
        var source: String
        var name: String?
        var width: Int?
        var height: Int?
        var modes: [Mode]?
        var sampleRates: [Int]?
        var channels: [Int]?
        var isDefault: Bool?
        var isMonitor: Bool?

        enum CodingKeys: String, CodingKey {
            case kind, option, source, name, width, height, modes, channels
            case sampleRates = "sample_rates"
            case isDefault = "default"
            case isMonitor = "monitor"
        }

        static func always(_ kind: String) -> [Entry] {
            ["--video", "--audio"].map {
                Entry(kind: kind, option: $0, source: kind == "pipe" ? "pipe:PATH" : kind)
            }
        }

        private init(kind: String, option: String, source: String) {
            (self.kind, self.option, self.source) = (kind, option, source)
        }

        init(_ device: Device) {
            self.init(
                kind: device.kind, option: device.isPicture ? "--video" : "--audio", source: device.source)
            name = device.name
            switch device.ability {
            case .screen(let width, let height), .window(let width, let height):
                (self.width, self.height) = (width, height)
            case .camera(let modes): self.modes = modes.map(Mode.init)
            case .pulse(let rate, let count, let isDefault, let isMonitor):
                (sampleRates, channels) = ([rate], [count])
                (self.isDefault, self.isMonitor) = (isDefault, isMonitor)
            case .alsa(let modes): (sampleRates, channels) = (modes.sampleRates, modes.channels)
            }
        }
    }

    private struct Mode: Encodable {
        let format: String
        let width: Range
        let height: Range
        let frameRates: [Double]
        /// The rates are the slowest and the fastest.
        let isRange: Bool

        enum CodingKeys: String, CodingKey {
            case format, width, height
            case frameRates = "frame_rates"
            case isRange = "any_between"
        }

        init(_ mode: CameraMode) {
            format = mode.format
            (width, height) = (Range(mode.width), Range(mode.height))
            func number(_ rate: Rational) -> Double { (rate.doubleValue * 1000).rounded() / 1000 }
            switch mode.rates {
            case .unknown: (frameRates, isRange) = ([], false)
            case .list(let rates): (frameRates, isRange) = (rates.map(number), false)
            case .range(let slowest, let fastest): (frameRates, isRange) = ([slowest, fastest].map(number), true)
            }
        }
    }

    private struct Range: Encodable {
        let least: Int
        let most: Int
        let step: Int

        init(_ steps: CameraMode.Steps) { (least, most, step) = (steps.least, steps.most, steps.step) }
    }
}

extension Device {
    fileprivate var kind: String {
        switch ability {
        case .screen: "screen"
        case .window: "window"
        case .camera: "camera"
        case .pulse: "pulse"
        case .alsa: "alsa"
        }
    }

    fileprivate var isPicture: Bool {
        switch ability {
        case .screen, .window, .camera: true
        case .pulse, .alsa: false
        }
    }
}

extension [CameraMode] {
    /// A line for each format and its frame rates: `MJPG  640x480 1280x720, 15 30 frames/s`.
    fileprivate var grouped: [String] {
        var groups: [(key: String, format: String, sizes: [String], rates: String)] = []
        for mode in self {
            let rates = mode.rateTexts.joined(separator: " ")
            let key = mode.format + ":" + rates
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].sizes.append(mode.sizeText)
            } else {
                groups.append((key, mode.format, [mode.sizeText], rates))
            }
        }
        return groups.map { group in
            "\(group.format)  \(group.sizes.joined(separator: " "))"
                + (group.rates.isEmpty ? "" : "  \(group.rates) frames/s")
        }
    }
}

extension [String] {
    /// The first to the last.
    fileprivate var ends: String {
        guard let first, let last else { return "" }
        return first == last ? first : "\(first) to \(last)"
    }
}
