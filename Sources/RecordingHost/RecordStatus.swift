import Foundation
import HostCore
import Recording

/// The status line of a recording.
package enum RecordStatus {
    /// The phase, the lengths of the take and of all takes, the sound's level, lost frames and the
    /// free space on the disk.
    package static func text(_ recording: Recording, _ progress: PartProgress?) -> String {
        let total = "all takes \(clock(recording.total.seconds))"
        switch recording.phase {
        case .idle: return "○ the sources are closed  \(total)"
        case .opening: return "○ the sources are being opened  \(total)"
        case .ready: return "○ ready  \(total)"
        case .closed: return ""
        case .joining(let number, _): return "○ take \(number) is being completed  \(total)"
        case .paused(let current), .pausing(let current):
            return "‖ take \(current.number)  \(clock(current.duration.seconds))  paused  \(total)"
        case .recording(let current), .ending(let current, _):
            var parts = ["● take \(current.number)  \(clock(current.duration.seconds))", total]
            if let level = progress?.level { parts.append(meter(level)) }
            if let progress, progress.lost > 0 { parts.append("\(progress.lost) frames lost") }
            if let free = progress?.free { parts.append(size(free) + " free") }
            return parts.joined(separator: "  ")
        }
    }

    /// `0:07.2`, rounded down.
    static func clock(_ seconds: Double) -> String {
        let tenths = Int(min(max(seconds, 0), 8_640_000) * 10)
        let (minutes, rest) = (tenths / 600, tenths % 600)
        return "\(minutes):" + (rest < 100 ? "0" : "") + "\(rest / 10).\(rest % 10)"
    }

    /// A bar of 3 dB each from −60 dBFS on.
    static func meter(_ level: Double) -> String {
        let filled = min(20, max(0, Int((level + 60) / 3)))
        let text = level <= -99 ? "silence" : "\(Int(level.rounded())) dB"
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: 20 - filled) + "] " + text
    }

    static func size(_ bytes: Int64) -> String {
        bytes < 10_000_000_000 ? "\(bytes / 1_000_000) MB" : "\(bytes / 1_000_000_000) GB"
    }
}
