import CFFmpeg
import Synchronization

/// Memory for pictures, used again and again: fresh pages for every frame of a render cost more
/// than its blends.
enum PicturePool {
    private static let alignment = 64
    /// swscale may read and write a little past the last row.
    private static let slack = 128
    /// How many sizes keep their free buffers; the longest unused goes first.
    private static let limit = 6

    /// `AVBufferPool` is itself safe to use from several threads, also after it was given up.
    private struct Pools: @unchecked Sendable {
        var bySize: [(bytes: Int, pool: OpaquePointer)] = []
    }

    private static let pools = Mutex(Pools())

    private static func buffer(bytes: Int) -> UnsafeMutablePointer<AVBufferRef>? {
        pools.withLock { pools in
            if let index = pools.bySize.firstIndex(where: { $0.bytes == bytes }) {
                let entry = pools.bySize.remove(at: index)
                pools.bySize.append(entry)
            } else {
                guard let pool = av_buffer_pool_init(bytes, av_buffer_alloc) else { return nil }
                pools.bySize.append((bytes, pool))
                if pools.bySize.count > limit {
                    // Buffers still in use are freed when they come back.
                    var oldest: OpaquePointer? = pools.bySize.removeFirst().pool
                    av_buffer_pool_uninit(&oldest)
                }
            }
            return av_buffer_pool_get(pools.bySize[pools.bySize.count - 1].pool)
        }
    }

    /// Gives `frame`, which must be empty, planes of this size and the canvas's colour tags.
    static func fill(_ frame: Frame, width: Int, height: Int, format: Picture.Format) throws(MediaError) {
        guard width > 0, height > 0, width <= 32_768, height <= 32_768 else {
            throw MediaError(
                .unsupported, "make a picture", path: nil,
                reason: "a size of \(width)×\(height) is outside 1…32768 pixels")
        }
        func aligned(_ value: Int) -> Int { (value + alignment - 1) & ~(alignment - 1) }
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let luma = (aligned(width), height)
        let chroma = (aligned(chromaWidth), chromaHeight)
        let layout: [(stride: Int, rows: Int)]
        let pixelFormat: AVPixelFormat
        switch format {
        case .yuv420p10:
            let (luma, chroma) = ((aligned(width * 2), height), (aligned(chromaWidth * 2), chromaHeight))
            (layout, pixelFormat) = ([luma, chroma, chroma], AV_PIX_FMT_YUV420P10LE)
        case .yuva420p10:
            let (luma, chroma) = ((aligned(width * 2), height), (aligned(chromaWidth * 2), chromaHeight))
            (layout, pixelFormat) = ([luma, chroma, chroma, luma], AV_PIX_FMT_YUVA420P10LE)
        case .rgba: (layout, pixelFormat) = ([(aligned(width * 4), height)], AV_PIX_FMT_RGBA)
        case .yuva420p: (layout, pixelFormat) = ([luma, chroma, chroma, luma], AV_PIX_FMT_YUVA420P)
        case .yuv420p, .native: (layout, pixelFormat) = ([luma, chroma, chroma], AV_PIX_FMT_YUV420P)
        }
        let bytes = layout.reduce(0) { $0 + $1.stride * $1.rows } + alignment + slack
        guard let buffer = buffer(bytes: bytes) else { throw .outOfMemory("make a picture") }

        let raw = frame.raw
        raw.pointee.buf.0 = buffer
        raw.pointee.width = Int32(width)
        raw.pointee.height = Int32(height)
        raw.pointee.format = pixelFormat.rawValue
        var base = UnsafeMutablePointer<UInt8>(
            bitPattern: aligned(Int(bitPattern: buffer.pointee.data)))
        for (index, plane) in layout.enumerated() {
            switch index {
            case 0: (raw.pointee.data.0, raw.pointee.linesize.0) = (base, Int32(plane.stride))
            case 1: (raw.pointee.data.1, raw.pointee.linesize.1) = (base, Int32(plane.stride))
            case 2: (raw.pointee.data.2, raw.pointee.linesize.2) = (base, Int32(plane.stride))
            default: (raw.pointee.data.3, raw.pointee.linesize.3) = (base, Int32(plane.stride))
            }
            base = base?.advanced(by: plane.stride * plane.rows)
        }
        guard format != .rgba else {
            raw.pointee.color_range = AVCOL_RANGE_JPEG
            raw.pointee.colorspace = AVCOL_SPC_RGB
            return
        }
        raw.pointee.color_range = AVCOL_RANGE_MPEG
        raw.pointee.colorspace = AVCOL_SPC_BT709
        raw.pointee.color_primaries = AVCOL_PRI_BT709
        raw.pointee.color_trc = AVCOL_TRC_BT709
    }
}
