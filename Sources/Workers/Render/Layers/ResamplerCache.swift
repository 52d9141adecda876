import CKernels
import Foundation

/// A resampling of opaque canvas pictures, with its filters; owns the kernel's memory. One use at a
/// time.
final class CanvasResampler {
    fileprivate let map: ck_resampling
    let kernel: OpaquePointer

    /// - Returns: nil where an argument is out of range or memory is short.
    fileprivate init?(_ map: ck_resampling) {
        guard let kernel = ck_yuv_resampler_make(map) else { return nil }
        (self.map, self.kernel) = (map, kernel)
    }

    deinit { ck_yuv_resampler_free(kernel) }

    fileprivate var bytes: Int { ck_yuv_resampler_bytes(kernel) }

    fileprivate func resamples(_ other: ck_resampling) -> Bool {
        (map.in_width, map.in_height, map.out_width, map.out_height)
            == (other.in_width, other.in_height, other.out_width, other.out_height)
            && (map.scale_x, map.scale_y, map.first_x, map.first_y)
                == (other.scale_x, other.scale_y, other.first_x, other.first_y)
    }
}

/// Resamplers that are not in use, for the next frames: making the filters of a layer that lies
/// still costs as much as using them.
///
/// `@unchecked`: `idle` is only touched with `lock` held.
final class ResamplerCache: @unchecked Sendable {
    static let shared = ResamplerCache()

    /// The most resamplers that lie idle, and the most bytes of one of them.
    private static let (most, mostBytes) = (8, 4 << 20)

    private let lock = NSLock()
    /// The most recently returned ones are at the end.
    private var idle: [CanvasResampler] = []

    /// - Returns: nil where an argument is out of range or memory is short.
    func take(_ map: ck_resampling) -> CanvasResampler? {
        let known = lock.withLock { () -> CanvasResampler? in
            guard let index = idle.lastIndex(where: { $0.resamples(map) }) else { return nil }
            return idle.remove(at: index)
        }
        return known ?? CanvasResampler(map)
    }

    func give(_ resampler: CanvasResampler) {
        guard resampler.bytes <= Self.mostBytes else { return }
        lock.withLock {
            idle.append(resampler)
            if idle.count > Self.most { idle.removeFirst() }
        }
    }
}
