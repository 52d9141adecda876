import Files
import Foundation
import Glibc
import Hashing
import TestSupport
import Testing

@Suite struct FileDigestTests {
    @Test(arguments: [0, 1, 1 << 20, (1 << 20) + 1, 3 << 20, 5_000_000])
    func `a file is digested to its end`(size: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) })
        let file = try OpenFile(try folder.write(bytes, to: "a"), .readOnly)
        let digest = try file.digest()
        #expect(digest.size == Int64(size) && digest.digest == SHA256.hash(bytes))
        var checks = 0
        let checked = try file.digest { checks += 1 }
        #expect(checked == digest && checks == (size + OpenFile.blockSize - 1) / OpenFile.blockSize)
    }

    @Test func `the SHA-256 of nothing is the published one`() throws {
        let folder = try TemporaryFolder()
        let file = try OpenFile(try folder.write("", to: "a"), .readOnly)
        let digest = try file.digest().digest
        #expect(digest == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `a file that is cut while it is read ends there`() throws {
        let folder = try TemporaryFolder()
        let bytes = Data(repeating: 7, count: 3 << 20)
        let path = try folder.write(bytes, to: "a")
        let kept = (1 << 20) + 5
        let digest = try OpenFile(path, .readOnly).digest { truncate(path, off_t(kept)) }
        #expect(digest.size == Int64(kept) && digest.digest == SHA256.hash(bytes.prefix(kept)))
    }

    @Test func `a check ends the reading with its error`() throws {
        struct Stop: Error {}
        let folder = try TemporaryFolder()
        let file = try OpenFile(try folder.write(Data(count: 3 << 20), to: "a"), .readOnly)
        var blocks = 0
        #expect(throws: Stop.self) {
            _ = try file.digest {
                blocks += 1
                if blocks == 2 { throw Stop() }
            }
        }
        #expect(blocks == 2)
        var sizes: [Int] = []
        let isWhole = try file.visitBlocks(of: 1000) { block in
            sizes.append(block.count)
            return sizes.count < 3
        }
        #expect(!isWhole && sizes == [1000, 1000, 1000])
    }

    @Test func `what cannot be read has no digest`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: Errno.isDirectory) { _ = try OpenFile(folder.path, .readOnly).digest() }
    }
}
