import Foundation
import Testing

/// Sweeps that find faults which are known and not mended yet. They run for work on those, with
/// `CUTROOM_OPEN_SWEEPS=1`, and lose this mark with the last fault.
public enum OpenSweeps {
    public static var areWanted: Bool { ProcessInfo.processInfo.environment["CUTROOM_OPEN_SWEEPS"] != nil }

    public static let absence: Comment = "it finds faults that are not mended yet; CUTROOM_OPEN_SWEEPS=1 runs it"
}
