import Foundation
import Values

/// A draft's document, parsed, and read as far as that needs no plugin. Version 2 needs none.
public struct DraftDocument: Sendable {
    /// The version that is written.
    public static let version = 2
    static let versions = 1...version

    private enum Content {
        case read(Draft)
        case old(VersionOne, origin: Origin, folder: String)
    }

    private let content: Content

    /// - Parameters:
    ///   - json: the document's text.
    ///   - file: the document's path, for messages.
    ///   - folder: the absolute folder that relative paths start from.
    public init(_ json: Data, file: String, folder: String) throws(Problems) {
        let origin = Origin(file: file)
        let (tree, version): (Value, Int)
        do throws(Problem) { (tree, version) = try Self.parse(json, origin) } catch { throw Problems([error]) }
        content =
            version == Self.version
            ? .read(try Draft(reading: tree, origin: origin, folder: folder))
            : .old(VersionOne(tree: tree), origin: origin, folder: folder)
    }

    private static func parse(_ json: Data, _ origin: Origin) throws(Problem) -> (tree: Value, version: Int) {
        let tree = try Value(json: json, file: origin.file)
        var fields = try FieldReader(tree, object: "document", origin: origin)
        guard let version = try fields.int("cutroom") else {
            throw fields.problem("has no ‘cutroom’ version, so it is not a draft's document")
        }
        guard versions.contains(version) else {
            throw fields.problem("is of version \(version), but this Cutroom reads versions 1 and \(Self.version)")
        }
        return (tree, version)
    }

    /// The document marks which of its texts are files, so plugins' descriptors are not needed for
    /// that.
    public var namesItsFiles: Bool { if case .read = content { true } else { false } }

    /// The ids of the plugins' effects that the document names, each once.
    public var pluginIDs: [String] {
        switch content {
        case .read(let draft): draft.pluginIDs
        case .old(let document, _, _): document.pluginIDs
        }
    }

    /// - Parameter plugins: what is known of ``pluginIDs``: a document of version 1 does not say
    ///   itself what they are, and one of an older release may have choices as indices.
    public func draft(_ plugins: [EffectDescriptor]) throws(Problems) -> Draft {
        func descriptor(_ id: String) -> EffectDescriptor? { plugins.first { $0.id == id } }
        switch content {
        // Older releases wrote the choices in keys as indices.
        case .read(let draft): return draft.namingChoices(descriptor)
        case .old(let document, let origin, let folder):
            let tree: Value
            do throws(Problem) { tree = try document.upgraded(plugins, origin) } catch { throw Problems([error]) }
            return try Draft(reading: tree, origin: origin, folder: folder).namingChoices(descriptor)
        }
    }
}

extension Draft {
    /// Reads a document of which the plugins are known.
    public init(document: Data, file: String, folder: String, plugins: [EffectDescriptor] = []) throws(Problems) {
        self = try DraftDocument(document, file: file, folder: folder).draft(plugins)
    }
}
