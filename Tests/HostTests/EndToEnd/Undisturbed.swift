import Foundation
import Synchronization
import TestSupport
import Testing

/// The files of undisturbed renders: each script's once for all tests of a run.
enum Undisturbed {
    private static let files = Mutex<[String: Data]>([:])

    /// Returns the bytes of a local render of `edit.lua`. Tests with the same script wait for the
    /// first one.
    static func file(_ studio: Studio) throws -> Data {
        let script = try String(contentsOfFile: studio.file("edit.lua"), encoding: .utf8)
        return try files.withLock { files in
            if let file = files[script] { return file }
            let path = try studio.render(to: "undisturbed.mp4", with: ["--no-cache"])
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            files[script] = file
            return file
        }
    }
}
