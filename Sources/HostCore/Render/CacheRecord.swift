import Foundation
import Jobs

/// The cache's record of an entry. It contains the key, so an entry that was copied under another
/// key's name does not count.
struct CacheRecord: Codable {
    var key: String
    var file: RenderedFile

    /// Reads a record.
    /// - Returns: nil if the path has none, or one of another key.
    static func read(_ path: String, of key: String) -> RenderedFile? {
        guard let data = FileManager.default.contents(atPath: path),
            let record = try? JSONDecoder().decode(CacheRecord.self, from: data), record.key == key
        else { return nil }
        return record.file
    }

    /// Numbers and texts can always be encoded; an empty record belongs to no entry.
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
