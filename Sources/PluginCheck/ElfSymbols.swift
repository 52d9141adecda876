import Foundation

/// The symbols that a shared library offers to others, read from the file itself: nothing of the
/// library runs.
///
/// Structures and numbers: System V gABI, chapters 4 and 5 (ELF-64, little endian).
struct ElfSymbols {
    /// Sorted.
    let exported: [String]

    private static let dynamicSymbols: UInt32 = 11
    private static let sectionHeader = 64
    private static let symbolBytes = 24

    /// Nil where the file is no 64-bit little-endian ELF file with a table of dynamic symbols.
    init?(_ data: Data) {
        let bytes = [UInt8](data)
        func number<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
            guard offset >= 0, offset <= bytes.count - MemoryLayout<T>.size else { return nil }
            return bytes.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
        }
        func place(at offset: Int) -> Int? { number(UInt64.self, at: offset).flatMap { Int(exactly: $0) } }
        guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]), let sections = place(at: 0x28),
            let count = number(UInt16.self, at: 0x3c), sections > 0
        else { return nil }
        func section(_ index: Int) -> Int { sections &+ index &* Self.sectionHeader }
        guard
            let table = (0..<Int(count)).map(section).first(where: {
                number(UInt32.self, at: $0 &+ 4) == Self.dynamicSymbols
            }),
            let first = place(at: table + 0x18), let size = place(at: table + 0x20),
            let link = number(UInt32.self, at: table + 0x28), let names = place(at: section(Int(link)) &+ 0x18)
        else { return nil }
        var found: [String] = []
        for offset in stride(from: first, to: first &+ size, by: Self.symbolBytes) {
            guard let name = number(UInt32.self, at: offset), let info = number(UInt8.self, at: offset + 4),
                let other = number(UInt8.self, at: offset + 5), let home = number(UInt16.self, at: offset + 6)
            else { return nil }
            // Defined here; global, weak or unique; visible; not a section's or a file's name.
            let (binding, type) = (info >> 4, info & 15)
            guard home != 0, [1, 2, 10].contains(binding), other & 3 != 1, other & 3 != 2, type != 3, type != 4 else {
                continue
            }
            let start = names &+ Int(name)
            guard start >= 0, start < bytes.count, let end = bytes[start...].firstIndex(of: 0) else { return nil }
            found.append(String(decoding: bytes[start..<end], as: UTF8.self))
        }
        exported = found.sorted()
    }
}
