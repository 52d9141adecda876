import Synchronization

/// A version of a file: one that is written anew has another.
struct FileVersion: Hashable {
    private let path: String
    private let size: Int64
    private let modified: Int64

    init(_ file: InputFile) { (path, size, modified) = (file.path, file.size, file.modified) }
}

/// What this process has learned of files, for their next readers. The least recently used values
/// are evicted first.
///
/// The key tells versions of a file apart, so a value never has to be taken back.
final class FileMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[(key: Key, value: Value)]>([])
    private let most: Int
    private let mostBytes: Int
    private let size: @Sendable (Value) -> Int

    /// - Parameters:
    ///   - most: values that are kept.
    ///   - mostBytes: bytes of all values together.
    ///   - size: the bytes that a value holds.
    init(most: Int, mostBytes: Int = .max, size: @escaping @Sendable (Value) -> Int = { _ in 0 }) {
        (self.most, self.mostBytes, self.size) = (most, mostBytes, size)
    }

    /// The bytes that all values hold.
    var bytes: Int { values.withLock { $0.reduce(0) { $0 + size($1.value) } } }

    /// The value that is kept for a file; it counts as used.
    subscript(key: Key) -> Value? {
        values.withLock { values in
            guard let index = values.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = values.remove(at: index)
            values.append(entry)
            return entry.value
        }
    }

    /// Keeps a value in the place of the one that is there.
    /// - Parameter isBetter: whether the one that is there stays: another reader may have got
    ///   further.
    func keep(_ value: Value, for key: Key, unless isBetter: (Value) -> Bool = { _ in false }) {
        values.withLock { values in
            if let index = values.firstIndex(where: { $0.key == key }) {
                if isBetter(values[index].value) { return }
                values.remove(at: index)
            }
            values.append((key, value))
            while values.count > most || values.reduce(0, { $0 + size($1.value) }) > mostBytes {
                values.removeFirst()
            }
        }
    }
}
