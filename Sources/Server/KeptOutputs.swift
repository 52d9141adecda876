import Foundation
import HostCore
import ServerClient

/// The outputs that a server keeps in a folder of its own until they are fetched and their render is purged.
package struct KeptOutputs: Sendable {
    package let folder: String

    package init(_ place: ServerPlace) { folder = place.folder + "/outputs" }

    /// A place for an output that lies nowhere on the submitter's and the server's common storage.
    /// - Parameter wished: the output as its submitter calls it; only its last name counts.
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

    /// Makes the folder of an output that is kept here. May wait.
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

    /// Removes an output with the folder that was made for it. May wait.
    package func remove(_ output: String) {
        if holds(output) { try? FileManager.default.removeItem(atPath: Self.folder(of: output)) }
    }
}
