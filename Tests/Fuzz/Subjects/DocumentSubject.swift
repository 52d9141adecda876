import Draft
import FoundationEssentials
import Values

/// A draft's document from an untrusted source.
public enum DocumentSubject {
    /// Reads whatever it is; what can be read is checked, and is the same draft when it is written
    /// and read once more.
    /// - Returns: what is wrong, nil where all is well.
    public static func problem(_ bytes: Data) -> String? {
        guard let draft = read(bytes) else { return nil }
        _ = draft.validate(Catalog())
        _ = draft.warnings(Catalog())
        let text = draft.document(in: "/m")
        guard let again = read(Data(text.utf8)) else { return "what was read cannot be written and read" }
        return again.document(in: "/m") == text ? nil : "it is written otherwise each time"
    }

    private static func read(_ bytes: Data) -> Draft? {
        do throws(Problems) {
            let document = try DraftDocument(bytes, file: "x", folder: "/m")
            return try document.draft([])
        } catch {
            return nil
        }
    }
}
