import Foundation
import Glibc
import HostCore
import TestSupport
import Testing

@testable import Server
@testable import ServerClient

/// The lock on the nodes of a cluster.
@Suite struct SlurmPoolTests {
    @Test func `a pool belongs to one process`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        var pool: SlurmPool? = try SlurmPool(place)
        let name = pool?.prefix
        let error = try #require(throws: HostError.self) { try SlurmPool(place) }
        #expect(error.code == .unavailable && error.message.contains("Another ‘cutroom farm slurm’"))
        pool = nil
        #expect(try SlurmPool(place).prefix == name)
    }

    /// It is no other process that is in the way.
    @Test func `a lock that cannot be opened says why`() throws {
        let folder = try TemporaryFolder()
        let place = try ServerPlace(folder.file("state"))
        try folder.write("", to: "state/slurm/lock/x")
        chmod(place.folder, 0o700)
        let error = try #require(throws: HostError.self) { try SlurmPool(place) }
        #expect(error.message == "The lock ‘\(place.folder)/slurm/lock’ cannot be taken: Is a directory.")
    }
}
