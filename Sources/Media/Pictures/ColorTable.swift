import CKernels
import Synchronization

/// A change of colours made ready for the kernels; owns the kernel's memory. Never changed once it
/// is made.
final class ColorTable: Sendable {
    enum Work: Hashable {
        /// HDR to SDR of BT.2020, as a three-dimensional table.
        case tones
        /// SDR to SDR with primaries that differ little, as a three-dimensional table.
        case nearPrimaries
        /// SDR to SDR with any primaries, pixel by pixel.
        case primaries
        /// SDR or HDR to HDR, pixel by pixel.
        case light
    }

    /// A `ck_gamut` for ``Work/primaries``, a `ck_light` for ``Work/light``, else a `ck_lut`.
    nonisolated(unsafe) let kernel: OpaquePointer
    private let work: Work

    private init(_ work: Work, from source: PictureCoding, to target: PictureCoding) throws(MediaError) {
        var (from, to) = (source.kernel, target.kernel)
        let made =
            switch work {
            case .tones: ck_lut_bake_tones(&from)
            case .nearPrimaries: ck_lut_bake_primaries(&from, &to)
            case .primaries: ck_gamut_make(&from, &to)
            case .light: ck_light_make(&from, &to)
            }
        guard let made else { throw .outOfMemory("convert a picture's colours") }
        kernel = made
        self.work = work
    }

    deinit {
        switch work {
        case .primaries: ck_gamut_free(kernel)
        case .light: ck_light_free(kernel)
        case .tones, .nearPrimaries: ck_lut_free(kernel)
        }
    }

    private struct Key: Hashable {
        var work: Work
        var source: PictureCoding
        var target: PictureCoding
    }

    /// A table is made once for the life of a worker: that takes as long as applying it to some
    /// dozen frames. Films have few codings, so few are kept.
    private static let limit = 6
    private static let made = Mutex<[(key: Key, table: ColorTable)]>([])

    /// - Throws: `outOfMemory`.
    static func table(
        _ work: Work, from source: PictureCoding, to target: PictureCoding
    ) throws(MediaError) -> ColorTable {
        let key = Key(work: work, source: source, target: target)
        let known = made.withLock { tables in
            tables.firstIndex { $0.key == key }.map { index in
                let hit = tables.remove(at: index)
                tables.append(hit)
                return hit.table
            }
        }
        if let known { return known }
        let table = try ColorTable(work, from: source, to: target)
        made.withLock { tables in
            tables.append((key, table))
            if tables.count > limit { tables.removeFirst() }
        }
        return table
    }
}
