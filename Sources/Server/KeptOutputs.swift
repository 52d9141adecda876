import Foundation
import HostCore
import ServerClient

/// Outputs that a server keeps in its own folder until they are fetched and their render is purged.
package struct KeptOutputs: Sendable {
    package let folder: String

    package init(_ place: ServerPlace) { folder = place.folder + "/outputs" }

    /// Returns a path for an output that is not on storage shared by the submitter and the server.
    /// - Parameter wished: the output's path as the submitter gives it; only its last component
    ///   counts.
    package func place(for wished: String) throws(HostError) -> String {
        let isFolder = wished.hasSuffix("/")
        let name = (wished as NSString).lastPathComponent
        guard !name.isEmpty, name != "/", name != ".", name != ".." else {
            throw HostError(.data, "The output ‘\(wished)’ has no file name.")
        }
        // The name cannot be guessed, so no other client can claim the output.
        let unique = [UInt64.random(in: .min ... .max), .random(in: .min ... .max)].map { String($0, radix: 36) }
        return "\(folder)/\(unique.joined())/\(name)" + (isFolder ? "/" : "")
    }

    /// Creates the folder of an output that is kept here. May block.
    func makeFolder(of output: String) throws(HostError) {
        guard holds(output) else { return }
        let own = Self.folder(of: output)
        let code = makeFolders(own)
        guard code == 0 else {
            throw HostError(.inputOutput, "Cannot create the server's folder ‘\(own)’: \(systemText(code)).")
        }
    }

    private static func folder(of output: String) -> String {
        ((output.hasSuffix("/") ? String(output.dropLast()) : output) as NSString).deletingLastPathComponent
    }

    func holds(_ output: String) -> Bool { output.utf8.starts(with: (folder + "/").utf8) }

    /// Removes an output and the folder that was created for it. May block.
    package func remove(_ output: String) {
        if holds(output) { try? FileManager.default.removeItem(atPath: Self.folder(of: output)) }
    }
}
