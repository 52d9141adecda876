import Media
import TestSupport
import Testing

@testable import Recorder

/// Pictures that wait for the recorder's loop.
@Suite struct MailboxTests {
    /// Posts pictures.
    /// - Parameter step: nanoseconds between them.
    /// - Returns: the numbers of those that wait.
    private func waiting(
        _ mailbox: Mailbox, posting count: Int, width: Int = 16, height: Int = 16, every step: Int64 = frame
    ) throws -> [Int64] {
        let picture = try Picture(width: width, height: height, format: .yuv420p)
        for number in 0..<Int64(count) {
            mailbox.post(.picture(source: 1, LivePicture(picture: picture, time: number * step)))
        }
        var numbers: [Int64] = []
        while let message = mailbox.next(within: .milliseconds(0)) {
            if case .picture(_, let picture) = message { numbers.append(picture.time / step) }
        }
        return numbers
    }

    /// At 30 frames per second.
    private static let frame: Int64 = 33_333_333

    @Test func `pictures of 300 ms wait, and older ones are dropped and counted`() throws {
        let mailbox = Mailbox()
        #expect(try waiting(mailbox, posting: 10) == Array(0...9))
        #expect(mailbox.takeDropped() == 0)
        #expect(try waiting(mailbox, posting: 100) == Array(90...99))
        #expect(mailbox.takeDropped() == 90 && mailbox.takeDropped() == 0)
    }

    @Test func `large pictures are bounded in bytes, but some always wait`() throws {
        let mailbox = Mailbox()
        let most = Int64(Mailbox.mostBytes / Picture.pipedSize(width: 2560, height: 1440))
        #expect(
            try waiting(mailbox, posting: 60, width: 2560, height: 1440, every: 10_000_000) == Array(60 - most..<60))
        // Two each second.
        #expect(try waiting(mailbox, posting: 20, every: 500_000_000).count == Mailbox.fewest)
    }

    @Test func `a slow source costs no other one its pictures, and other messages stay`() throws {
        let mailbox = Mailbox()
        let picture = try Picture(width: 16, height: 16, format: .yuv420p)
        for number in 0..<Int64(100) {
            mailbox.post(.alive(source: 2))
            if number < 5 { mailbox.post(.picture(source: 2, LivePicture(picture: picture, time: number))) }
            mailbox.post(.picture(source: 1, LivePicture(picture: picture, time: number * Self.frame)))
        }
        var (alive, ofSecond) = (0, 0)
        while let message = mailbox.next(within: .milliseconds(0)) {
            switch message {
            case .alive: alive += 1
            case .picture(source: 2, _): ofSecond += 1
            default: break
            }
        }
        #expect(alive == 100 && ofSecond == 5 && mailbox.takeDropped() == 90)
    }
}
