import Files

/// The processor that a program or library was built for, from the head of its file.
/// The numbers are those of the ELF specification (`e_machine`, `EI_CLASS`).
struct ElfMachine: Hashable, CustomStringConvertible {
    private var machine: UInt16
    private var fileClass: UInt8

    /// - Returns: nil where the file is not an ELF file or cannot be read.
    init?(file path: String) {
        guard let head = try? OpenFile(path, .readOnly, .nonBlocking).read(20), head.count == 20,
            head.starts(with: [0x7f, 0x45, 0x4c, 0x46])
        else { return nil }
        let (low, high) = (UInt16(head[18]), UInt16(head[19]))
        // EI_DATA: 2 is big-endian.
        machine = head[5] == 2 ? low << 8 | high : high << 8 | low
        fileClass = head[4]
    }

    /// This process's.
    static let own = ElfMachine(file: "/proc/self/exe")

    var description: String {
        switch (machine, fileClass) {
        case (3, _): "x86 (32 bits)"
        case (20, _): "PowerPC (32 bits)"
        case (21, _): "PowerPC (64 bits)"
        case (22, _): "IBM Z"
        case (40, _): "ARM (32 bits)"
        case (62, 1): "x32"
        case (62, _): "x86-64"
        case (183, _): "ARM (64 bits)"
        case (243, 1): "RISC-V (32 bits)"
        case (243, _): "RISC-V (64 bits)"
        case (258, _): "LoongArch"
        default: "another processor (ELF machine \(machine))"
        }
    }
}
