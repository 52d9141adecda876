import CFFmpeg
import Glibc
import Values

/// Decoded pictures in a temporary file, so that a long group of pictures that plays backwards is
/// decoded once and not once for each stretch that fits into memory.
///
/// The file has no name, so it is gone with the process, however that ends. It takes no disk space
/// while no picture is in it. Pixels are written as the decoder gave them and read back bit by bit;
/// everything else about a picture stays in memory. Where there is no room, nothing is written and
/// the caller decodes again: only time depends on it.
public final class PictureSpill {
    /// A picture whose pixels are in the file.
    public struct Stored {
        let time: Time
        fileprivate let isMirrored: Bool
        /// The picture's properties without its pixels.
        fileprivate let properties: Frame
        fileprivate let slot: Int
    }

    private let descriptor: Int32
    private let space: SpillSpace
    /// The total for all pictures in the file.
    private var form: PixelForm?
    /// The bytes of a slot, each of which holds a picture.
    private var slotBytes = 0
    private var slotCount = 0
    private var freeSlots: [Int] = []

    /// - Parameter folder: where the file lies.
    /// - Returns: nil where no file can be made there, or where it would lie in memory or on
    ///   another machine.
    public convenience init?(in folder: String) { self.init(in: folder, space: .shared) }

    package init?(in folder: String, space: SpillSpace) {
        descriptor = Self.openUnnamed(in: folder)
        self.space = space
        guard descriptor >= 0, space.accepts(descriptor) else { return nil }
    }

    /// Opens a new file without a name; negative where that fails.
    private static func openUnnamed(in folder: String) -> Int32 {
        // `O_TMPFILE`, a macro that Swift does not see.
        let unnamed = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC | O_EXCL, 0o600)
        guard unnamed < 0, errno == EOPNOTSUPP else { return unnamed }
        // File systems such as overlays of older kernels give each new file a name.
        var name = Array("\(folder)/.pictures-XXXXXX".utf8CString)
        let named = mkstemp(&name)
        guard named >= 0 else { return named }
        unlink(name)
        _ = fcntl(named, F_SETFD, FD_CLOEXEC)
        return named
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        space.release(slotCount * slotBytes)
    }

    /// Writes a picture to the file.
    /// - Returns: nil where there is no room, the file cannot be written to, or the picture differs
    ///   from those in the file in format or size.
    public func store(_ picture: Picture) -> Stored? {
        let raw = picture.frame.raw.pointee
        guard let form = PixelForm(raw), fit(form), let properties = try? Frame(),
            av_frame_copy_props(properties.raw, picture.frame.raw) >= 0, let slot = freeSlots.popLast() ?? newSlot()
        else { return nil }
        guard write(picture.frame, form, to: slot) else {
            free(slot)
            return nil
        }
        return Stored(time: picture.time, isMirrored: picture.isMirrored, properties: properties, slot: slot)
    }

    /// Reads a picture back and frees its place; nil where the file cannot be read.
    public func restore(_ stored: Stored) -> Picture? {
        defer { free(stored) }
        guard let form, let frame = try? Frame(), let memory = av_buffer_alloc(form.wholeBytes + 64) else { return nil }
        // The frame frees it.
        frame.raw.pointee.buf.0 = memory
        (frame.raw.pointee.width, frame.raw.pointee.height) = (form.width, form.height)
        frame.raw.pointee.format = form.format.rawValue
        guard let start = memory.pointee.data, form.place(frame, at: start),
            read(into: UnsafeMutableRawBufferPointer(start: start, count: form.bytes), from: stored.slot),
            av_frame_copy_props(frame.raw, stored.properties.raw) >= 0
        else { return nil }
        return Picture(decoded: frame, time: stored.time, isMirrored: stored.isMirrored)
    }

    /// Makes the slots as large as a picture of a form; false where pictures of another one are in
    /// the file.
    private func fit(_ form: PixelForm) -> Bool {
        if form == self.form { return true }
        guard slotCount == 0 else { return false }
        self.form = form
        slotBytes = Self.slot(for: form.bytes)
        return true
    }

    /// How many pictures of a size in bytes there is room for, while no picture is in the file.
    public func room(forPicturesOf bytes: Int) -> Int {
        space.available(on: descriptor) / Self.slot(for: max(1, bytes))
    }

    /// Blocks of the file system, so that no two pictures share one.
    private static func slot(for bytes: Int) -> Int { (bytes + 4095) & ~4095 }

    /// Frees the place of a picture that is not needed any more.
    public func free(_ stored: Stored) { free(stored.slot) }

    /// Frees a slot, and the disk space of all slots with the last one.
    private func free(_ slot: Int) {
        freeSlots.append(slot)
        guard freeSlots.count == slotCount, ftruncate(descriptor, 0) == 0 else { return }
        space.release(slotCount * slotBytes)
        (slotCount, freeSlots) = (0, [])
    }

    private func newSlot() -> Int? {
        guard space.take(slotBytes, of: descriptor) else { return nil }
        slotCount += 1
        return slotCount - 1
    }

    private func write(_ frame: Frame, _ form: PixelForm, to slot: Int) -> Bool {
        let start = slot * slotBytes
        guard form.hasStrides(of: frame) else {
            var copy = [UInt8](repeating: 0, count: form.wholeBytes)
            let copied = av_image_copy_to_buffer(
                &copy, Int32(copy.count), frame.planes.map { UnsafePointer($0) }, frame.strides, form.format,
                form.width, form.height, PixelForm.alignment)
            return copied == copy.count
                && copy.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[..<form.bytes]), at: start) }
        }
        return zip(form.planes, frame.planes).allSatisfy { plane, pixels in
            write(UnsafeRawBufferPointer(start: pixels, count: plane.bytes), at: start + plane.offset)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, place + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer, from slot: Int) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = pread(descriptor, bytes.baseAddress! + done, bytes.count - done, slot * slotBytes + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
