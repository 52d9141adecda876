import CLua
import Values

extension Value {
    /// A copy of a tree that C made from a Lua value.
    init(_ value: cl_value) {
        switch value.kind {
        case CL_BOOLEAN: self = .bool(value.boolean)
        case CL_NUMBER: self = .number(value.number)
        case CL_STRING: self = .string(Self.text(value))
        case CL_LIST: self = .array(UnsafeBufferPointer(start: value.items, count: value.count).map(Value.init))
        case CL_TABLE:
            var fields: [String: Value] = [:]
            let pairs = UnsafeBufferPointer(start: value.items, count: value.count * 2)
            for index in 0..<value.count { fields[Self.text(pairs[index * 2])] = Value(pairs[index * 2 + 1]) }
            self = .object(fields)
        case CL_FUNCTION: self = .function(Int(value.function))
        default: self = .null
        }
    }

    private static func text(_ value: cl_value) -> String {
        guard let bytes = value.bytes else { return "" }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: value.length)
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Copies this tree into memory of the state.
    /// - Returns: false where there is no memory.
    func write(to slot: inout cl_value, allocate: (Int) -> UnsafeMutableRawPointer?) -> Bool {
        switch self {
        case .null: slot.kind = CL_NIL
        case .bool(let value):
            slot.kind = CL_BOOLEAN
            slot.boolean = value
        case .number(let value):
            slot.kind = CL_NUMBER
            slot.number = value
        case .string(let text):
            slot.kind = CL_STRING
            return Self.write(text, to: &slot, allocate: allocate)
        case .function(let number):
            slot.kind = CL_FUNCTION
            slot.function = Int32(number)
        case .array(let items):
            slot.kind = CL_LIST
            guard let cells = Self.cells(items.count, of: &slot, count: items.count, allocate) else { return false }
            for (index, item) in items.enumerated() {
                guard item.write(to: &cells[index], allocate: allocate) else { return false }
            }
        case .object(let fields):
            slot.kind = CL_TABLE
            guard let cells = Self.cells(fields.count * 2, of: &slot, count: fields.count, allocate) else {
                return false
            }
            for (index, field) in fields.enumerated() {
                cells[index * 2].kind = CL_STRING
                guard Self.write(field.key, to: &cells[index * 2], allocate: allocate),
                    field.value.write(to: &cells[index * 2 + 1], allocate: allocate)
                else { return false }
            }
        }
        return true
    }

    private static func cells(
        _ size: Int, of slot: inout cl_value, count: Int, _ allocate: (Int) -> UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<cl_value>? {
        guard let memory = allocate((size + 1) * MemoryLayout<cl_value>.stride) else { return nil }
        let cells = memory.bindMemory(to: cl_value.self, capacity: size + 1)
        slot.items = cells
        slot.count = count
        return cells
    }

    private static func write(
        _ text: String, to slot: inout cl_value, allocate: (Int) -> UnsafeMutableRawPointer?
    ) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let memory = allocate(bytes.count + 1) else { return false }
            if let first = bytes.baseAddress { memory.copyMemory(from: first, byteCount: bytes.count) }
            slot.bytes = UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
            slot.length = bytes.count
            return true
        }
    }
}
