import Composition

/// A rendered piece of the output: a segment of the picture, a mixed run of the sound, or the whole
/// sound, which is encoded from its runs.
public enum Part: Hashable, Sendable, Codable {
    case segment(Int)
    case run(Int)
    case sound
}

/// A part at one quality. A search for a bit rate renders the same segment at several.
public struct PartVersion: Hashable, Sendable, Codable {
    public var part: Part
    /// The plan's key: SHA-256 over everything that decides the part's bytes.
    public var key: String
    /// True where a plugin may make something else each time: the cache is neither asked for it nor
    /// given it.
    public var isUncertain: Bool

    public init(_ part: Part, key: String, isUncertain: Bool = false) {
        (self.part, self.key, self.isUncertain) = (part, key, isUncertain)
    }

    /// A name for a file that no other part of a render has.
    public var name: String {
        switch part {
        case .segment(let index), .run(let index): "\(key)-\(index)"
        case .sound: key
        }
    }
}

extension RenderPlan {
    /// Segments of one key are one part: that of the first of them.
    func version(ofSegment number: Int) -> PartVersion {
        let index = segments[number].twin ?? number
        return PartVersion(.segment(index), key: segments[index].key, isUncertain: segments[index].isUncertain == true)
    }

    /// Runs of one key are one part: that of the first of them.
    func version(ofRun number: Int) -> PartVersion {
        let index = runs[number].twin ?? number
        return PartVersion(.run(index), key: runs[index].key, isUncertain: runs[index].isUncertain == true)
    }

    /// The sound, of which there is one version; nil where the output has none.
    var soundVersion: PartVersion? {
        guard audio != nil, let soundKey else { return nil }
        return PartVersion(.sound, key: soundKey, isUncertain: isSoundUncertain == true)
    }
}
