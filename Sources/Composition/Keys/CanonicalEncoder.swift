import Values

/// The encoder of what keys are hashed from: equal values give equal bytes, different values
/// different ones.
///
/// Every part says what it is and how long it is, so that no two values run together; the keys of a
/// table are sorted; a number is its bits, so that what JSON has no word for (infinity, what is no
/// number) is told apart, too. A field that is nil is as if it were not there: a new one does not
/// change the keys of those who do not use it.
enum CanonicalEncoder {
    /// - Throws: what the value's own `encode(to:)` throws.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let slot = Slot()
        try slot.encode(value)
        var bytes: [UInt8] = []
        slot.write(to: &bytes)
        return bytes
    }
}

/// One value on its way to bytes.
private final class Slot {
    private enum Content {
        case nothing
        /// A single value's bytes, its kind first.
        case value([UInt8])
        case list([Slot])
        case table([(key: String, slot: Slot)])
    }

    private var content = Content.nothing

    // MARK: In

    func encode(_ value: some Encodable) throws {
        // A time's text is for people, and slow to make.
        if let time = value as? Time { put("t", time.flicks) } else { try value.encode(to: SlotEncoder(slot: self)) }
    }

    func put(_ text: String) {
        content = .value([UInt8(ascii: "s")] + Self.bytes(of: Int64(text.utf8.count)) + text.utf8)
    }

    func put(_ kind: Unicode.Scalar, _ number: some FixedWidthInteger) {
        content = .value([UInt8(ascii: kind)] + Self.bytes(of: number))
    }

    func put(_ truth: Bool) { content = .value([UInt8(ascii: truth ? "y" : "n")]) }

    /// Both zeros are equal numbers.
    func put(_ number: Double) { put("d", (number == 0 ? 0 : number).bitPattern) }

    func add() -> Slot {
        let slot = Slot()
        if case .list(var slots) = content {
            content = .nothing
            slots.append(slot)
            content = .list(slots)
        } else {
            content = .list([slot])
        }
        return slot
    }

    func add(_ key: String) -> Slot {
        let slot = Slot()
        if case .table(var slots) = content {
            content = .nothing
            slots.append((key, slot))
            content = .table(slots)
        } else {
            content = .table([(key, slot)])
        }
        return slot
    }

    /// A list or table that may stay empty.
    func open(isList: Bool) { if case .nothing = content { content = isList ? .list([]) : .table([]) } }

    var count: Int { if case .list(let slots) = content { slots.count } else { 0 } }

    // MARK: Out

    func write(to bytes: inout [UInt8]) {
        switch content {
        case .nothing: bytes.append(UInt8(ascii: "-"))
        case .value(let value): bytes += value
        case .list(let slots):
            bytes.append(UInt8(ascii: "["))
            bytes += Self.bytes(of: Int64(slots.count))
            for slot in slots { slot.write(to: &bytes) }
        case .table(let slots):
            bytes.append(UInt8(ascii: "{"))
            bytes += Self.bytes(of: Int64(slots.count))
            for (key, slot) in slots.sorted(by: { $0.key < $1.key }) {
                bytes += Self.bytes(of: Int64(key.utf8.count))
                bytes += key.utf8
                slot.write(to: &bytes)
            }
        }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

private struct SlotEncoder: Encoder {
    let slot: Slot
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.open(isList: false)
        return KeyedEncodingContainer(Table(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.open(isList: true)
        return List(slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(slot: slot) }
}

private struct Table<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}
    func encode(_ value: Bool, forKey key: Key) throws { slot.add(key.stringValue).put(value) }
    func encode(_ value: String, forKey key: Key) throws { slot.add(key.stringValue).put(value) }
    func encode(_ value: Double, forKey key: Key) throws { slot.add(key.stringValue).put(value) }
    func encode(_ value: Int, forKey key: Key) throws { slot.add(key.stringValue).put("i", Int64(value)) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try slot.add(key.stringValue).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        SlotEncoder(slot: slot.add(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        SlotEncoder(slot: slot.add(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { SlotEncoder(slot: slot.add("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { SlotEncoder(slot: slot.add(key.stringValue)) }
}

private struct List: UnkeyedEncodingContainer {
    let slot: Slot
    var codingPath: [any CodingKey] { [] }
    var count: Int { slot.count }

    func encodeNil() throws { _ = slot.add() }
    func encode(_ value: Bool) throws { slot.add().put(value) }
    func encode(_ value: String) throws { slot.add().put(value) }
    func encode(_ value: Double) throws { slot.add().put(value) }
    func encode(_ value: Int) throws { slot.add().put("i", Int64(value)) }
    func encode(_ value: some Encodable) throws { try slot.add().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        SlotEncoder(slot: slot.add()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { SlotEncoder(slot: slot.add()).unkeyedContainer() }
    func superEncoder() -> any Encoder { SlotEncoder(slot: slot.add()) }
}

private struct Single: SingleValueEncodingContainer {
    let slot: Slot
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {}
    func encode(_ value: Bool) throws { slot.put(value) }
    func encode(_ value: String) throws { slot.put(value) }
    func encode(_ value: Double) throws { slot.put(value) }
    func encode(_ value: Float) throws { slot.put(Double(value)) }
    func encode(_ value: Int) throws { slot.put("i", Int64(value)) }
    func encode(_ value: Int8) throws { slot.put("i", Int64(value)) }
    func encode(_ value: Int16) throws { slot.put("i", Int64(value)) }
    func encode(_ value: Int32) throws { slot.put("i", Int64(value)) }
    func encode(_ value: Int64) throws { slot.put("i", value) }
    func encode(_ value: UInt) throws { slot.put("u", UInt64(value)) }
    func encode(_ value: UInt8) throws { slot.put("u", UInt64(value)) }
    func encode(_ value: UInt16) throws { slot.put("u", UInt64(value)) }
    func encode(_ value: UInt32) throws { slot.put("u", UInt64(value)) }
    func encode(_ value: UInt64) throws { slot.put("u", value) }
    func encode(_ value: some Encodable) throws { try slot.encode(value) }
}
