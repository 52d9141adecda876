import Renders
import Testing

@testable import Server

/// Events of a server: all in order, and those that gather form one turn.
@Suite struct ServerInboxTests {
    private static func number(_ event: Server.Event) -> Int64? {
        if case .ended(let id, _) = event { id.number } else { nil }
    }

    @Test func `what has gathered comes at once, in order and bounded`() async {
        let inbox = ServerInbox()
        let count = Int64(ServerInbox.mostAtOnce + 10)
        for number in 1...count { #expect(inbox.post(.ended(RenderID(number), .done))) }
        let first = await inbox.next().compactMap(Self.number)
        let second = await inbox.next().compactMap(Self.number)
        #expect(first.count == ServerInbox.mostAtOnce && first + second == Array(1...count))
    }

    @Test func `who waits is woken, and what comes too late is refused`() async {
        let inbox = ServerInbox()
        async let waited = inbox.next().count
        await Task.yield()
        inbox.post(.stop)
        #expect(await waited == 1)
        inbox.post(.again)
        #expect(inbox.close().count == 1 && !inbox.post(.stop) && inbox.close().isEmpty)
    }
}
