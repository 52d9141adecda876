import Foundation
import Glibc
import TestSupport
import Testing

@testable import HostCore
@testable import ServerClient

/// Only its user can access a server's folder, even if it existed before.
@Suite struct ServerPlaceTests {
    private func mode(_ path: String) -> mode_t {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o777 : 0
    }

    @Test func `a new folder is its user's, and is not told of`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        #expect(try place.make() == nil && mode(place.folder) == 0o700)
        #expect(try place.make() == nil)
    }

    @Test(arguments: [0o755, 0o750, 0o770] as [mode_t]) func `others lose their rights, which is told`(
        rights: mode_t
    ) throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        mkdir(place.folder, 0o700)
        chmod(place.folder, rights)
        let notice = try #require(try place.make())
        #expect(notice.contains(place.folder) && notice.contains(String(rights, radix: 8)))
        #expect(mode(place.folder) == 0o700)
    }

    /// Users that can write there may have put their own journal in it.
    @Test func `a folder into which others may write is refused`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        mkdir(place.folder, 0o700)
        chmod(place.folder, 0o777)
        let error = try #require(throws: HostError.self) { try place.make() }
        #expect(error.code == .cannotCreate && error.message.contains("chmod 700"))
        #expect(mode(place.folder) == 0o777)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another group"))
    func `a folder into which another group may write is refused`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        mkdir(place.folder, 0o700)
        chown(place.folder, geteuid(), 12345)
        chmod(place.folder, 0o770)
        #expect(throws: HostError.self) { try place.make() }
        chmod(place.folder, 0o750)
        #expect(try place.make() != nil && mode(place.folder) == 0o700)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make another user's folder"))
    func `another user's folder is refused`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        mkdir(place.folder, 0o700)
        chown(place.folder, 12345, 12345)
        #expect(try #require(throws: HostError.self) { try place.make() }.message.contains("another user"))
    }
}
