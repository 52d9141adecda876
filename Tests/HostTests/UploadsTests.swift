import Content
import Foundation
import Glibc
import TestSupport
import Testing

@testable import HostCore
@testable import Server
@testable import ServerClient

/// The files that submitters have uploaded: separate for each submitter, complete and checked,
/// within a quota.
@Suite struct UploadsTests {
    private static let (ann, bob) = ("key:ann", "key:bob")

    private func with(quota: Int64 = 1 << 30, _ body: (Uploads, TemporaryFolder) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            try body(Uploads(ServerPlace(folder.file("state")), quota: quota), folder)
        }
    }

    private func content(_ bytes: Data, _ folder: TemporaryFolder) throws -> ContentID {
        let file = try ContentFile(path: folder.write(bytes, to: "content"))
        return try #require(try ContentRecord(counting: file)).id
    }

    private func send(_ bytes: Data, _ id: ContentID, _ uploads: Uploads, of who: String = Self.ann) throws -> Int64 {
        var size = try uploads.offer(id, of: who, needed: [])
        while size < id.size {
            size = try uploads.give(
                id, of: who, from: size, bytes.dropFirst(Int(size)).prefix(ServerRequest.uploadPieceSize))
        }
        return try uploads.finish(id, of: who)
    }

    private func refusal(_ body: () throws -> some Any) -> String? {
        do {
            _ = try body()
            return nil
        } catch { return HostError(error).message }
    }

    @Test(arguments: [0, 1, 700_000]) func aFileIsThereWhenAllOfItIs(size: Int) throws {
        try with { uploads, folder in
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let id = try content(bytes, folder)
            #expect(
                refusal { try uploads.path(of: id, for: "/m/a.mp4", of: Self.ann) }?.contains("was not uploaded")
                    == true)
            #expect(try send(bytes, id, uploads) == id.size)
            let path = try uploads.path(of: id, for: "/m/a.mp4", of: Self.ann)
            #expect(path.hasSuffix("/ann/\(id)/a.mp4"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
            #expect(uploads.holds(path, of: Self.ann) && !uploads.holds(path, of: Self.bob))
            // Repeating it changes nothing.
            #expect(try uploads.offer(id, of: Self.ann, needed: []) == id.size && send(bytes, id, uploads) == id.size)
        }
    }

    /// A submitter that claims to have a file cannot use it before uploading it, even if the server
    /// has it.
    @Test func whatOthersHaveSentIsNobodyElses() throws {
        try with { uploads, folder in
            let bytes = Data(repeating: 7, count: 5000)
            let id = try content(bytes, folder)
            #expect(try send(bytes, id, uploads) == 5000)
            #expect(try uploads.offer(id, of: Self.bob, needed: []) == 0)
            #expect(try uploads.finish(id, of: Self.bob) == 0)
            #expect(
                refusal { try uploads.path(of: id, for: "/m/a.mp4", of: Self.bob) }?.contains("was not uploaded")
                    == true)
        }
    }

    @Test func whatIsNotWhatItIsCalledIsNotTaken() throws {
        try with { uploads, folder in
            let bytes = Data(repeating: 7, count: 5000)
            let id = try content(bytes, folder)
            #expect(try send(Data(repeating: 8, count: 5000), id, uploads) == 0)
            #expect(try uploads.offer(id, of: Self.ann, needed: []) == 0, "it comes anew")
            for (from, count) in [
                (-1, 1), (0, 0), (0, 5001), (4999, 2), (.max, 1), (0, ServerRequest.uploadPieceSize + 1),
            ]
                as [(Int64, Int)]
            { #expect(refusal { try uploads.give(id, of: Self.ann, from: from, Data(count: count)) } != nil) }
            // A piece that does not continue where the last one ended changes nothing.
            #expect(try uploads.give(id, of: Self.ann, from: 100, Data(count: 10)) == 0)
            #expect(try uploads.give(id, of: Self.ann, from: 0, bytes.prefix(10)) == 10)
            #expect(try uploads.finish(id, of: Self.ann) == 10)
            #expect(try send(bytes, id, uploads) == 5000)
            let other = try #require(ContentID(digest: String(repeating: "0", count: 64), size: 5))
            #expect(
                refusal { try uploads.give(other, of: Self.ann, from: 0, Data(count: 5)) } != nil, "nobody offered it")
        }
    }

    @Test func pathsThatAreNoneOfTheirsAreNotHeld() throws {
        try with { uploads, folder in
            let bytes = Data([1])
            let id = try content(bytes, folder)
            #expect(try send(bytes, id, uploads) == 1)
            let path = try uploads.path(of: id, for: "/m/a.mp4", of: Self.ann)
            let place = (path as NSString).deletingLastPathComponent
            symlink("/etc/passwd", place + "/link")
            for wrong in [
                place, place + "/", place + "/link", place + "/.data", place + "/../x", place + "/nothing",
                place + "//a.mp4", path + "/", uploads.folder + "/ann/../ann/\(id)/a.mp4", "/etc/passwd", "",
            ] { #expect(!uploads.holds(wrong, of: Self.ann), "\(wrong)") }
        }
    }

    @Test func aSubmitterHasAQuota() throws {
        try with(quota: 1000) { uploads, folder in
            let (first, second) = (Data(repeating: 1, count: 600), Data(repeating: 2, count: 600))
            let (one, two) = (try content(first, folder), try content(second, folder))
            #expect(try send(first, one, uploads) == 600)
            let problem = refusal { try uploads.offer(two, of: Self.ann, needed: []) }
            #expect(
                problem?.contains("Your quota for files on the server is 1000 bytes") == true
                    && problem?.contains("‘cutroom jobs purge’") == true)
            // Files of others are separate, and incomplete ones count.
            #expect(try uploads.offer(two, of: Self.bob, needed: []) == 0)
            #expect(refusal { try uploads.offer(one, of: Self.bob, needed: []) } != nil)
            let huge = try #require(ContentID(digest: one.digest, size: ContentID.largest))
            #expect(refusal { try uploads.offer(huge, of: Self.bob, needed: []) } != nil)
            // Space is freed by removing files that are neither needed nor about to be used.
            let place = uploads.folder + "/ann/\(one)"
            var old = [timespec(tv_sec: time(nil) - 3000, tv_nsec: 0), timespec(tv_sec: time(nil) - 3000, tv_nsec: 0)]
            utimensat(AT_FDCWD, place, &old, 0)
            #expect(refusal { try uploads.offer(two, of: Self.ann, needed: ["\(one)"]) } != nil)
            #expect(try uploads.offer(two, of: Self.ann, needed: []) == 0)
            #expect(access(place, F_OK) != 0)
        }
    }

    @Test func whatNobodyNeedsGoesAfterADay() throws {
        try with { uploads, folder in
            let ids = try (1...3).map { number in
                let bytes = Data(repeating: UInt8(number), count: number)
                let id = try content(bytes, folder)
                #expect(try send(bytes, id, uploads) == Int64(number))
                return id
            }
            var old = [
                timespec(tv_sec: time(nil) - 90_000, tv_nsec: 0), timespec(tv_sec: time(nil) - 90_000, tv_nsec: 0),
            ]
            for id in ids.prefix(2) { utimensat(AT_FDCWD, uploads.folder + "/ann/\(id)", &old, 0) }
            uploads.sweep(keeping: [Self.ann: ["\(ids[0])"]])
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: uploads.folder + "/ann"))
            #expect(left == ["\(ids[0])", "\(ids[2])"])
            uploads.remove(["\(ids[0])", "..", "../bob"], of: Self.ann)
            #expect(try FileManager.default.contentsOfDirectory(atPath: uploads.folder + "/ann") == ["\(ids[2])"])
        }
    }
}
