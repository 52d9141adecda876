import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Nodes that have the farm's folders at other paths than the server.
    @Suite struct MappedRenderTests {
        /// Media under `there`, which is on no disk of this machine, and in a folder of the node's.
        private func lot(nodes: [String]) throws -> (
            lot: RemoteRenderTests.Lot, maps: (server: [String], node: [String])
        ) {
            let lot = try RemoteRenderTests.Lot(nodes: nodes)
            let studio = lot.studio
            let here = studio.file("node-media")
            try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
            for path in [try Footage.pattern, try Footage.tone] {
                try FileManager.default.copyItem(
                    atPath: path, toPath: here + "/" + (path as NSString).lastPathComponent)
            }
            // The parts are in the same place; the node has another path for their folder.
            try FileManager.default.createSymbolicLink(
                atPath: studio.file("node-work"), withDestinationPath: studio.cache)
            try FileManager.default.createSymbolicLink(
                atPath: studio.file("node-out"), withDestinationPath: studio.folder.path)
            return (
                lot,
                (
                    ["--map", "media=\(there)", "--map", "work=\(studio.cache)", "--map", "out=\(studio.folder.path)"],
                    [
                        "--map", "media=\(here)", "--map", "work=\(studio.file("node-work"))", "--map",
                        "out=\(studio.file("node-out"))",
                    ]
                )
            )
        }

        private let there = "/srv/on-no-disk/media"

        private func script(_ folder: String) -> String {
            """
            draft:add_clip("\(folder)/pattern.mp4", { range = { 0, 3 } })
            draft:add_audio("\(folder)/tone.wav", { loop = true, volume = 0.3 })
            draft:add_effect("org.cutroom.vignette", {})
            """
        }

        @Test func `a node has the farm's folders in other places, and writes the same bytes`() throws {
            let (lot, maps) = try lot(nodes: ["one", "bare"])
            try lot.studio.script(script(lot.studio.file("node-media")))
            let local = try Data(contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4")))
            let keys = Set(lot.studio.cacheEntries.map { ($0 as NSString).lastPathComponent })
            try lot.studio.emptyCache()
            try lot.studio.script(script(there))
            let (render, endpoint) = try lot.listening(maps.server)
            // The node that has none of them connects first, and takes no job that it cannot do.
            let bare = try lot.node("bare", at: endpoint)
            #expect(Command.until(timeout: 30) { render.stderrSoFar.contains("no folder ‘media’ (--map media=") })
            let one = try lot.node("one", at: endpoint, maps.node)
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(one.stderrSoFar)\n\(bare.stderrSoFar)")
            #expect(try lot.output == local)
            #expect(
                Set(lot.studio.cacheEntries.map { ($0 as NSString).lastPathComponent }) == keys, "keys know no place")
            for node in [one, bare] { node.send(SIGTERM) }
            for node in [one, bare] { #expect(node.wait(timeout: 20).status == 0) }
            lot.studio.expectClean()
        }

        @Test func `what goes wrong on a node is told with the server's paths`() throws {
            let (lot, maps) = try lot(nodes: ["one"])
            try lot.studio.script("draft:add_clip(\"\(there)/missing.mp4\", {})")
            let (render, endpoint) = try lot.listening(maps.server)
            let one = try lot.node("one", at: endpoint, maps.node)
            let result = render.wait(timeout: 60)
            #expect(result.status == 65, "\(result)")
            #expect(result.stderr.contains("‘\(there)/missing.mp4’"), "\(result)")
            #expect(!result.stderr.contains("node-media"), "\(result)")
            one.send(SIGTERM)
            #expect(one.wait(timeout: 20).status == 0)
        }

        @Test func `roots that are none are refused`() throws {
            let studio = try Studio()
            try studio.script(#"draft:add_title("x", { duration = 1 })"#)
            for (words, text) in [
                (["--map", "media=here", "--listen", "tcp://127.0.0.1:*"], "absolute path"),
                (["--map", "media=/srv"], "‘--listen’"),
            ] {
                let result = try studio.run(["render", "edit.lua", "-o", "o.mp4"] + words)
                #expect(result.status == 64 && result.stderr.contains(text), "\(result)")
            }
            let node = try Command.run([
                Studio.products + "/cutroom-worker", "--connect", "tcp://a:1", "--name", "a", "--server-key", "s",
                "--map",
                "x",
            ])
            #expect(node.status == 64 && node.stderr.contains("‘--map’ is ‘x’"), "\(node)")
        }
    }
}
