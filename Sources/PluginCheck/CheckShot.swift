import Draft
import Hashing
import PluginABI
import PluginHosting

/// One call to process.
struct CheckShot {
    /// The number of the frame or of the block of sound.
    var number: Int
    /// Nil: those that the instance was made with.
    var values: CheckValues?
    /// Nil: the usual noise.
    var contents: CheckContents?
    var layout = GuardedLayout.roomy
    /// What lies between rows and around them.
    var fill: UInt8 = 0xa5
    /// Parts of the rows, one call for each; nil: all in one.
    var slices: [Range<Int>]?
    /// The output is input 0's memory.
    var isInPlace = false
    /// The inputs cannot be written.
    var protectsInputs = false
    /// Lent memory stays where it is after the call and cannot be touched.
    var isRevoked = false
    var structures = LentStructures.Size.usual
    /// Frames, or blocks, in the effect's range.
    var length = CheckSetting.length
    /// The place on the timeline at which the effect's range begins, in frames or blocks.
    var place = 0
    /// Samples in a block of sound; nil: the setting's.
    var samples: Int?
    /// Reports nothing, so that it may come from any thread.
    var isQuiet = false

    init(_ number: Int, _ values: CheckValues? = nil, layout: GuardedLayout = .roomy) {
        (self.number, self.values, self.layout) = (number, values, layout)
    }
}

extension CheckShot {
    /// The place for messages, to follow the frame; empty at the start of the timeline.
    var placeForPeople: String { place == 0 ? "" : " of an effect that begins \(place) later on the timeline" }
}

/// What a call made.
struct CheckResult: Equatable {
    var status: Int32
    /// All samples of a frame, or what an analyser emitted.
    var samples: [UInt8]
    var message: String?
    /// A byte beside the rows was written: where.
    var brokenCanary: String?
    /// Rows outside the slice were written: the first of them.
    var strayRow: Int?
    /// The output was written, and the call says that it was not.
    var wroteBeforePass = false
    /// The reason why an analyser's result is refused.
    var refusal: String?

    var digest: String {
        var hasher = SHA256()
        samples.withUnsafeBytes { hasher.update($0) }
        return "\(min(status, 0)) \(hasher.finish())"
    }

    /// The difference of two results: half a sentence; nil where they do not. A frame that was
    /// passed through is equal to one that was copied.
    func difference(from other: CheckResult, _ setting: CheckSetting, _ kind: EffectDescriptor.Kind) -> String? {
        if min(status, 0) != min(other.status, 0) { return "one returned status \(status), the other \(other.status)" }
        if samples == other.samples { return nil }
        if kind == .analyser { return "the numbers differ" }
        guard samples.count == other.samples.count else { return "\(samples.count) and \(other.samples.count) bytes" }
        let differing = samples.indices.filter { samples[$0] != other.samples[$0] }
        guard var offset = differing.first else { return nil }
        let first = (samples[offset], other.samples[offset])
        var place = ""
        for (number, plane) in setting.planes().enumerated() {
            let bytes = plane.rowBytes * plane.rows
            if offset < bytes {
                let pixel = number == 0 ? setting.pixel : setting.sample
                let (row, column) = (offset / plane.rowBytes, offset % plane.rowBytes / pixel)
                place = setting.isSound ? "channel \(row), sample \(column)" : "row \(row), column \(column)"
                if number > 0 { place += " of plane \(number)" }
                break
            }
            offset -= bytes
        }
        return "\(differing.count) of \(samples.count) bytes differ, the first at \(place): \(first.0) and \(first.1)"
    }
}
