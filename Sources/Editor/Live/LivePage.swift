import FlyingFox
import Foundation
import Preview

/// The connection of a page.
struct LivePage: WSMessageHandler {
    let editor: Editor
    let hub: LiveHub

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let stream = hub.join(LiveMessage.State(revision: await editor.number))
        Task { [driver = editor.driver] in
            for await message in client {
                guard case .text(let text) = message,
                    let said = try? JSON.read(LiveMessage.Incoming.self, Data(text.utf8)), said.type == "playhead"
                else { continue }
                await driver.move(to: said.playhead)
            }
        }
        return stream
    }
}

extension LiveMessage.Incoming {
    /// The playhead, with the page's numbers limited to valid ranges.
    fileprivate var playhead: Playhead {
        func bounded(_ frame: Int) -> Int { min(max(0, frame), 1 << 40) }
        let ends = (loop ?? []).map(bounded)
        return Playhead(
            frame: bounded(frame ?? 0), isPlaying: playing ?? false, isBackwards: (rate ?? 1) < 0,
            loop: ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil)
    }
}
