import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Nodes that share no storage with the server: what they read is fetched, and what they make is sent.
    @Suite(.enabled(if: SmallDisk.isPossible, SmallDisk.absence)) struct ApartNodeTests {
        @Test func `two nodes that see none of the files write the same bytes`() throws {
            let lot = try ApartLot(nodes: ["one", "two"])
            let local = try Data(contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4")))
            try lot.studio.emptyCache()
            let (render, endpoint) = try lot.lot.listening()
            let nodes = try ["one", "two"].map { try lot.node($0, at: endpoint) }
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(nodes.map(\.stderrSoFar))")
            #expect(try lot.lot.output == local)
            for node in nodes { node.send(SIGTERM) }
            for node in nodes { #expect(node.wait(timeout: 20).status == 0) }
            lot.studio.expectClean()
            for name in ["one", "two"] {
                let made = try FileManager.default.contentsOfDirectory(atPath: lot.spool(of: name) + "/made")
                #expect(made.isEmpty, "\(made)")
            }
        }
    }
}
