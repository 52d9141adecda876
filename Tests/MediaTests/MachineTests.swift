import CPosix
import Glibc
import Testing

@testable import Media

/// What of a finding is the machine's and not the material's.
@Suite struct MachineTests {
    @Test func theMachineIsToldFromTheMaterial() {
        func error(_ code: MediaError.Code, _ operation: String = "write", _ number: Int32? = nil) -> Bool {
            MediaError(code, operation, path: "a", reason: "b", libav: number).isOfTheMachine
        }
        #expect(error(.diskFull) && error(.outOfMemory, "decode the picture") && error(.mux, "write", -EIO))
        #expect(error(.permissionDenied) && error(.notFound) && error(.isDirectory))
        // For a source, these are findings about a file that the user named.
        #expect(!error(.permissionDenied, "read") && !error(.notFound, "open") && !error(.isDirectory, "open"))
        // A muxer's own refusals.
        #expect(!error(.mux) && !error(.mux, "write", -EINVAL) && !error(.encode, "encode") && !error(.wrongContent))
    }

    @Test func theChainHasTheLibrarysWords() {
        let error = MediaError.libav(-EIO, "write", path: "a.mp4", fallback: .mux)
        #expect(error.code == .mux && error.isOfTheMachine)
        #expect(error.chain.first == error.description && error.chain.contains("libav: Input/output error (-5)"))
    }

    @Test func versionsNameTheBuildsOfAllLibraries() {
        final class Found { var ids: [[UInt8]] = [] }
        let found = Found()
        cposix_visit_build_ids(
            { context, id, size in
                Unmanaged<Found>.fromOpaque(context!).takeUnretainedValue().ids.append(
                    Array(UnsafeBufferPointer(start: id, count: size)))
            }, Unmanaged.passUnretained(found).toOpaque())
        // libav alone brings some eighty; other tests load copies of plugins meanwhile.
        #expect(found.ids.count > 40 && found.ids.allSatisfy { (8...64).contains($0.count) })
        #expect(MediaLibraries.versions.contains(/^avcodec \d+\.\d+\.\d+, .*, builds [0-9a-f]{16}$/))
    }
}
