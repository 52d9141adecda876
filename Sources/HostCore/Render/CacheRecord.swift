import Foundation
import Jobs

/// What the cache records of an entry. The key is in it, so that an entry that was copied under
/// another key's name is none.
struct CacheRecord: Codable {
    var key: String
    var file: RenderedFile

    /// - Returns: nil where there is none under the path, or it is another key's.
    static func read(_ path: String, of key: String) -> RenderedFile? {
        guard let data = FileManager.default.contents(atPath: path),
            let record = try? JSONDecoder().decode(CacheRecord.self, from: data), record.key == key
        else { return nil }
        return record.file
    }

    /// Numbers and texts can always be encoded; a record without any is no entry's.
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
