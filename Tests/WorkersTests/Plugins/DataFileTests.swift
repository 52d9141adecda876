import Foundation
import TestSupport
import Testing

@testable import PluginHosting

/// Data files that a library declares beside itself.
@Suite(.waits) struct DataFileTests {
    /// - Parameter name: of the library; the loader opens each path once in a process.
    private func descriptors(
        _ defines: [String], _ folder: TemporaryFolder, as name: String = "reads", add: String = "a"
    ) throws -> (digest: String?, files: [String], problem: String?) {
        let path = try PluginFixture.build("reads", defines, as: name, in: folder)
        try folder.write(add, to: "data/add.bin")
        let found = PluginRegistry(searchPaths: [path]).descriptors()
        return (found.effects.first?.digest, found.effects.first?.files ?? [], found.problems.first?.reason)
    }

    @Test func `the digest covers declared files, and nothing else changes it`() throws {
        try TemporaryFolder.with { folder in
            let plain = try descriptors([], folder, as: "plain")
            #expect(try plain.digest == fileDigest(folder.file("plain.so")) && plain.files.isEmpty)
            let first = try descriptors(["DECLARES"], folder)
            #expect(try first.files == ["data/add.bin"] && first.digest != fileDigest(folder.file("reads.so")))
            #expect(try descriptors(["DECLARES"], folder).digest == first.digest)
            try folder.write("x", to: "other.bin")
            #expect(try descriptors(["DECLARES"], folder).digest == first.digest)
            #expect(try descriptors(["DECLARES"], folder, add: "b").digest != first.digest)
        }
    }

    @Test func `a declared file that is missing is named`() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("reads", ["DECLARES"], in: folder)
            let registry = PluginRegistry(searchPaths: [path])
            let found = registry.descriptors()
            #expect(found.effects.isEmpty && registry.lacking == ["data/add.bin"])
            #expect(
                found.problems.first?.reason.contains("its data file ‘data/add.bin’ cannot be read: No such file")
                    == true,
                "\(found.problems)")
        }
    }

    @Test(arguments: [
        ("\"/etc/passwd\"", "‘/etc/passwd’; give a path relative"), ("\"../x\"", "‘../x’; give a path"),
        ("\"a//b\"", "‘a//b’; give a path"), ("\"\"", "‘’; give a path"), ("\"a/.b\"", "‘a/.b’; give a path"),
        ("\"data/add.bin\",\"data/add.bin\"", "‘data/add.bin’ twice"),
    ])
    func `names that lead out of the folder are refused`(files: String, words: String) throws {
        try TemporaryFolder.with { folder in
            let problem = try descriptors(["FILES=\(files)"], folder).problem
            #expect(problem?.contains(words) == true, "\(problem ?? "")")
        }
    }
}
