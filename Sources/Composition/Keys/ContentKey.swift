import Hashing
import Values

/// SHA-256 over everything that decides the bytes of what a job makes: the job's content, the
/// version of the engine and those of the libraries that workers load.
/// - Parameters:
///   - content: without places and names (see `withoutNames`): what a file is counts, not where it
///     lies.
///   - kind: of the job.
/// - Throws: where a part of the content cannot be written down. A key of the rest would stand for
///   other bytes, too.
public func contentKey(of content: some Encodable, _ kind: String, _ libraries: String) throws(Problems) -> String {
    var hasher = SHA256()
    hasher.update("cutroom \(kind) \(Engine.version) \(libraries)\n".utf8)
    do {
        hasher.update(try CanonicalEncoder.bytes(of: content))
    } catch {
        throw Problems([Problem("draft", "its \(kind) cannot be told apart from others: \(error)")])
    }
    return hasher.finish()
}

extension Slice {
    /// The slice without the names that a script gave to things and the places where files lie.
    var withoutNames: Slice {
        var slice = self
        slice.files = files.map(\.withoutPath)
        slice.drafts = drafts?.map(\.withoutNames)
        for index in clips.indices { slice.clips[index].id = nil }
        for index in effects.indices {
            slice.effects[index].id = nil
            slice.effects[index].plugin?.path = ""
            if case .subtitles(let subtitles) = effects[index].content {
                slice.effects[index].content = .subtitles(subtitles.withoutNames)
            }
            // What a plugin makes of a file's name is its own affair.
            guard case .picture(var picture) = effects[index].content, effects[index].plugin == nil else { continue }
            picture.mapFiles { _ in "" }
            slice.effects[index].content = .picture(picture)
        }
        return slice
    }
}

extension SoundMix {
    /// The mix without the names that a script gave to things, the places where files lie and,
    /// where nothing depends on it, the mix's own place.
    var withoutNames: SoundMix {
        var mix = self
        mix.files = files.map(\.withoutPath)
        mix.drafts = drafts?.map(\.withoutNames)
        if !isPlaced { mix.place = 0 }
        for index in processing.filters.indices {
            mix.processing.filters[index].id = nil
            mix.processing.filters[index].plugin.path = ""
        }
        return mix
    }
}

extension MediaFile {
    public var withoutPath: MediaFile { MediaFile(path: "", info: info, draft: draft) }
}
