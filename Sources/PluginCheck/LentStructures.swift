/// Structures that are lent for a call, as long as a host of this, a later or an earlier version has them.
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
    let size: Size

    init(_ size: Size) { self.size = size }

    deinit { for block in blocks { block.deallocate() } }

    /// - Parameter lastField: bytes of the structure's last field; nil where it cannot be without it.
    func lend<T>(_ value: T, lastField: Int?) -> UnsafePointer<T> {
        let (block, pointer) = Self.place(value, size: size, lastField: lastField)
        blocks.append(block)
        return pointer
    }

    func lend<T>(array values: [T]) -> UnsafePointer<T> {
        let memory = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
        memory.initialize(from: values, count: values.count)
        blocks.append(UnsafeMutableRawPointer(memory))
        return UnsafePointer(memory)
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
