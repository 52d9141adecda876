import Glibc
import Messaging
import Testing

@testable import Media
@testable import Workers

/// How what goes wrong with media is reported to the host: it decides about another try and the
/// exit code.
@Suite struct MediaFailureTests {
    private func failure(_ code: MediaError.Code, _ operation: String, _ number: Int32? = nil) -> JobFailure {
        MediaError(code, operation, path: "a", reason: "b", libav: number).jobFailure
    }

    @Test func materialMachineAndOwnFaultsAreToldApart() {
        #expect(failure(.decode, "decode the picture", -EINVAL).category == .input)
        #expect(failure(.notFound, "open").category == .input)
        #expect(failure(.unsupported, "encode").category == .input)
        #expect(failure(.permissionDenied, "write").category == .resource)
        #expect(failure(.mux, "write", -EIO).category == .resource)
        #expect(failure(.outOfMemory, "convert").category == .resource)
        #expect(failure(.encode, "encode").category == .internal)
        #expect(failure(.wrongContent, "verify").category == .internal)
        #expect(failure(.cancelled, "encode").category == .cancelled)
    }

    @Test func theLibrarysWordsAreInTheDetails() {
        let failure = failure(.decode, "decode the picture", -EINVAL)
        #expect(failure.message == "cannot decode the picture ‘a’: b")
        #expect(failure.details.first == "libav: Invalid argument (-22)")
    }
}
