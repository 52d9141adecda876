import Glibc

/// A file of mixed sound, as it is: a header, then interleaved 32-bit floats, little-endian. If the
/// draft has a loudness, the sound's ``TruePeaks`` follow, as floats too.
///
/// Nothing else reads such files, and they are compared with their digests before they are read, so
/// the header only tells them from other files.
public enum MixFile {
    static let header: [UInt8] = Array("CUTROOM MIX F32\n".utf8)

    /// Bytes of a file of `count` samples.
    static func size(_ count: Int, channels: Int, hasPeaks: Bool) -> Int {
        header.count + 4 * channels * count + (hasPeaks ? 4 * TruePeaks.size(count) : 0)
    }

    static func failure(_ number: Int32, _ operation: String, _ path: String) -> MediaError {
        .libav(-number, operation, path: path, fallback: operation == "write" ? .mux : .read)
    }
}

/// Writes a ``MixFile``.
public final class MixWriter {
    private let path: String
    private let channels: Int
    private let descriptor: Int32
    private var interleaved: [UInt32] = []
    private var count = 0
    private var isFinished = false

    /// Creates the file, replacing one that is there. It is removed again where this object goes
    /// away unfinished.
    /// - Throws: `notFound`, `permissionDenied`, `diskFull`, `mux`.
    public init(path: String, channels: Int) throws(MediaError) {
        (self.path, self.channels) = (path, channels)
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw MixFile.failure(errno, "write", path) }
        try write(MixFile.header)
    }

    deinit {
        if descriptor >= 0, !isFinished {
            close(descriptor)
            unlink(path)
        }
    }

    /// Writes `count` samples of each plane, bit for bit.
    public func append(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        if interleaved.count != count * channels { interleaved = [UInt32](repeating: 0, count: count * channels) }
        for (channel, plane) in planes.enumerated() {
            for index in 0..<count { interleaved[index * channels + channel] = plane[index].bitPattern.littleEndian }
        }
        self.count += count
        try write(interleaved)
    }

    /// Ends the file.
    /// - Parameter peaks: the ``TruePeaks`` of all samples; nil: none are kept.
    /// - Returns: the samples written.
    public func finish(_ peaks: [Float]? = nil) throws(MediaError) -> Int {
        precondition(peaks.map { $0.count == TruePeaks.size(count) } ?? true, "one peak for each block")
        if let peaks { try write(peaks.map(\.bitPattern.littleEndian)) }
        guard close(descriptor) == 0 else {
            let number = errno
            isFinished = true
            unlink(path)
            throw MixFile.failure(number, "write", path)
        }
        isFinished = true
        return count
    }

    private func write<Element>(_ elements: [Element]) throws(MediaError) {
        let size = elements.count * MemoryLayout<Element>.stride
        var done = 0
        while done < size {
            let written = elements.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, size - done) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw MixFile.failure(written < 0 ? errno : ENOSPC, "write", path) }
            done += written
        }
    }
}

/// Reads a ``MixFile``.
public final class MixReader {
    private let path: String
    private let channels: Int
    private let descriptor: Int32
    private let count: Int
    private let hasPeaks: Bool
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - count: the samples that the file must have.
    ///   - hasPeaks: whether it must have peaks.
    /// - Throws: `wrongContent` for another file; `notFound`, `permissionDenied`, `read`.
    public init(path: String, channels: Int, count: Int, hasPeaks: Bool = false) throws(MediaError) {
        (self.path, self.channels, self.count, self.hasPeaks) = (path, channels, count, hasPeaks)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MixFile.failure(errno, "read", path) }
        var status = stat()
        let size = MixFile.size(count, channels: channels, hasPeaks: hasPeaks)
        guard fstat(descriptor, &status) == 0, status.st_size == size,
            try read(MixFile.header.count) == MixFile.header[...]
        else {
            throw MediaError(
                .wrongContent, "read", path: path, reason: "it is no mix of \(count) samples of \(channels) channels")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Lets the next read begin with sample `index`.
    public func move(to index: Int) throws(MediaError) {
        guard lseek(descriptor, off_t(MixFile.header.count + 4 * channels * index), SEEK_SET) >= 0 else {
            throw MixFile.failure(errno, "read", path)
        }
    }

    /// Reads the ``TruePeaks``. The next read of samples must be placed by ``move(to:)``.
    /// - Throws: `wrongContent` if there are none, or if a number cannot be a peak; `read`.
    public func peaks() throws(MediaError) -> [Float] {
        guard hasPeaks else {
            throw MediaError(.wrongContent, "read", path: path, reason: "it was not measured")
        }
        try move(to: count)
        let peaks = floats(try read(4 * TruePeaks.size(count)))
        guard peaks.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
            throw MediaError(.wrongContent, "read", path: path, reason: "what was measured of it is damaged")
        }
        return peaks
    }

    private func floats(_ bytes: ArraySlice<UInt8>) -> [Float] {
        bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
    }

    /// Fills `planes` with the next `count` samples.
    /// - Throws: `wrongContent` past the end; `read`.
    public func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        let bytes = try read(4 * channels * count)
        bytes.withUnsafeBytes { raw in
            for index in 0..<count {
                for (channel, plane) in planes.enumerated() {
                    let bits = raw.loadUnaligned(fromByteOffset: 4 * (index * channels + channel), as: UInt32.self)
                    plane[index] = Float(bitPattern: UInt32(littleEndian: bits))
                }
            }
        }
    }

    private func read(_ count: Int) throws(MediaError) -> ArraySlice<UInt8> {
        if bytes.count < count { bytes = [UInt8](repeating: 0, count: count) }
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + done, count - done) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw MixFile.failure(errno, "read", path) }
            guard got > 0 else {
                throw MediaError(.wrongContent, "read", path: path, reason: "it ends too early")
            }
            done += got
        }
        return bytes[..<count]
    }
}
