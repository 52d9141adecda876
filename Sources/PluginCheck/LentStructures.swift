import Glibc
import PluginHosting

/// Structures that are lent for a call, as long as a host of this, a later or an earlier version
/// has them.
final class LentStructures {
    enum Size: CaseIterable {
        case usual
        /// A field more, which holds garbage.
        case longer
        /// The last field is not there, and reads as zero.
        case shorter

        /// What follows a place in messages.
        var forPeople: String {
            self == .usual ? "" : ", structures of the host a field \(self == .longer ? "longer" : "shorter")"
        }
    }

    private var blocks: [UnsafeMutableRawPointer] = []
    /// Copies in memory that ``revoke()`` closes.
    private var planes: [GuardedPlane] = []
    let size: Size
    private let isRevocable: Bool

    /// - Parameter isRevocable: structures lie in memory that can be closed.
    init(_ size: Size, isRevocable: Bool = false) { (self.size, self.isRevocable) = (size, isRevocable) }

    /// From now on, touching a structure is a fault (SIGSEGV).
    func revoke() { for plane in planes { plane.protect(PROT_NONE) } }

    deinit { for block in blocks { block.deallocate() } }

    /// - Parameter lastField: bytes of the structure's last field; nil where it cannot be without
    ///   it.
    func lend<T>(_ value: T, lastField: Int?) -> UnsafePointer<T> {
        let (block, pointer) = Self.place(value, size: size, lastField: lastField)
        blocks.append(block)
        guard isRevocable, let copy = copy(of: block, bytes: MemoryLayout<T>.size + 64) else { return pointer }
        return UnsafePointer(copy.assumingMemoryBound(to: T.self))
    }

    /// - Returns: nil where there is no memory.
    private func copy(of bytes: UnsafeMutableRawPointer, bytes count: Int) -> UnsafeMutableRawPointer? {
        guard
            let plane = try? GuardedPlane(
                rowBytes: count, rows: 1, sample: 1, layout: .aligned, fill: 0, name: "a structure of the call")
        else { return nil }
        plane.data.update(from: bytes.assumingMemoryBound(to: UInt8.self), count: count)
        planes.append(plane)
        return UnsafeMutableRawPointer(plane.data)
    }

    func lend<T>(array values: [T]) -> UnsafePointer<T> {
        let memory = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
        memory.initialize(from: values, count: values.count)
        blocks.append(UnsafeMutableRawPointer(memory))
        guard isRevocable, !values.isEmpty,
            let copy = copy(of: UnsafeMutableRawPointer(memory), bytes: MemoryLayout<T>.stride * values.count)
        else { return UnsafePointer(memory) }
        return UnsafePointer(copy.assumingMemoryBound(to: T.self))
    }

    /// Memory for what lives as long as the process.
    static func immortal<T>(_ value: T, size: Size, lastField: Int) -> UnsafePointer<T> {
        place(value, size: size, lastField: lastField).pointer
    }

    private static func place<T>(_ value: T, size: Size, lastField: Int?) -> (
        block: UnsafeMutableRawPointer, pointer: UnsafePointer<T>
    ) {
        let usual = MemoryLayout<T>.size
        let block = UnsafeMutableRawPointer.allocate(byteCount: usual + 64, alignment: 64)
        block.initializeMemory(as: UInt8.self, repeating: size == .longer ? 0xa5 : 0, count: usual + 64)
        let dropped = size == .shorter ? lastField ?? 0 : 0
        withUnsafeBytes(of: value) {
            block.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: usual - dropped)
        }
        let told = usual - dropped + (size == .longer ? 8 : 0)
        block.storeBytes(of: UInt32(told), as: UInt32.self)
        return (block, UnsafePointer(block.assumingMemoryBound(to: T.self)))
    }
}
