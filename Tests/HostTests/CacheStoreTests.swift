import Foundation
import Glibc
import Jobs
import TestSupport
import Testing

@testable import HostCore

/// The cache's checks of files that others may have put there.
@Suite struct CacheStoreTests {
    private static let (key, other) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 32))

    private func store(_ folder: TemporaryFolder) throws -> CacheStore {
        let store = CacheStore(folder: folder.file("cutroom"))
        let part = try folder.write("a part", to: "part")
        try store.keep(part, as: Self.key, RenderedFile(count: 3, size: 6, digest: "d"), bound: 1 << 30)
        return store
    }

    private func path(_ store: CacheStore, _ key: String) -> String {
        "\(store.folder)/entries/\(key.prefix(2))/\(key)"
    }

    @Test func `an entry under another key's name is none`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(store.borrow(Self.key, as: folder.file("own"))?.count == 3 && store.read(Self.key) != nil)
        let copy = path(store, Self.other)
        _ = makeFolders((copy as NSString).deletingLastPathComponent)
        for suffix in ["", ".json"] {
            try FileManager.default.copyItem(atPath: path(store, Self.key) + suffix, toPath: copy + suffix)
        }
        #expect(store.borrow(Self.other, as: folder.file("stolen")) == nil && store.read(Self.other) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("stolen")))
    }

    @Test(arguments: ["-1", "9223372036854775807", "-9223372036854775808"])
    func `a record with numbers that no file has is none`(number: String) throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        for field in ["count", "size"] {
            let record = path(store, Self.key) + ".json"
            let text = try String(contentsOfFile: record, encoding: .utf8)
            let wild = text.replacing(try Regex("\"\(field)\":[0-9]+"), with: "\"\(field)\":\(number)")
            #expect(wild != text)
            try wild.write(toFile: record, atomically: true, encoding: .utf8)
            #expect(store.read(Self.key) == nil, "\(field)")
            try text.write(toFile: record, atomically: true, encoding: .utf8)
        }
        #expect(store.read(Self.key) != nil)
    }
}
