import Foundation
import Testing

/// The folder of real media that some tests need: `$CUTROOM_MEDIA`, else `../shared/media` beside
/// the project. Never needed to pass: without it such tests are skipped.
///
///     @Test(.enabled(if: MediaFolder.isPresent, MediaFolder.absence))
public enum MediaFolder {
    /// The absolute path; nil where there is no such folder.
    public static let path: String? = {
        let wished = ProcessInfo.processInfo.environment["CUTROOM_MEDIA"]
        let candidate = wished ?? Project.root + "/../shared/media"
        guard let real = Project.realPath(candidate) else { return nil }
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: real, isDirectory: &isFolder) && isFolder.boolValue ? real : nil
    }()

    public static var isPresent: Bool { path != nil }

    /// The absolute path of one file; nil where it is not there.
    public static func file(_ name: String) -> String? {
        guard let path else { return nil }
        let file = path + "/" + name
        return FileManager.default.fileExists(atPath: file) ? file : nil
    }

    /// True where every one of these files is there.
    public static func has(_ names: String...) -> Bool { names.allSatisfy { file($0) != nil } }
}

extension MediaFolder {
    /// Why a test is skipped.
    public static let absence: Comment = "there is no media folder; set CUTROOM_MEDIA to one"
}
