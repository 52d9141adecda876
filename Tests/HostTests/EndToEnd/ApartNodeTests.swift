import Content
import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Nodes that share no storage with the server: inputs are fetched, and results are sent.
    @Suite(.enabled(if: SmallDisk.isPossible, SmallDisk.absence)) struct ApartNodeTests {
        @Test func `two nodes that see none of the files write the same bytes`() throws {
            let lot = try ApartLot(nodes: ["one", "two"])
            let local = try lot.local()
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
                #expect(made == [PartialContent.pipeName], "\(made)")
            }
        }

        /// Only the parts of a long file that are read are fetched, for the probe and for the
        /// second that is shown.
        @Test func `of a file that is little used little is fetched`() throws {
            let lot = try ApartLot(nodes: ["one"])
            let long = lot.media + "/long.mkv"
            try FFmpeg.make(
                ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=24", "-c:v", "rawvideo", "-pix_fmt", "yuv420p"],
                at: long)
            try lot.studio.script("draft:add_clip('\(long)', { range = { 19, 1 } })")
            let local = try lot.local()
            let (render, endpoint) = try lot.lot.listening()
            let one = try lot.node("one", at: endpoint)
            let result = render.wait(timeout: 60)
            #expect(result.status == 0, "\(result)\n\(one.stderrSoFar)")
            #expect(try lot.lot.output == local)
            let names = try FileManager.default.contentsOfDirectory(atPath: lot.content(of: "one"))
            let maps = names.compactMap {
                BlockMap(path: "\(lot.content(of: "one"))/\($0)/\(BlockMap.fileName)", writes: false)
            }
            let map = try #require(maps.max { $0.size < $1.size })
            #expect(map.size > 40 << 20 && map.present > 2 << 20 && map.present < map.size / 3, "\(map.present)")
        }

        /// Fetched data is still there, except for data that was damaged meanwhile.
        @Test func `a node that is killed goes on where it was`() throws {
            let lot = try ApartLot(nodes: ["one"])
            let local = try lot.local()
            let (render, endpoint) = try lot.lot.listening("--progress", "json")
            let first = try lot.node("one", at: endpoint)
            #expect(Command.until(timeout: 60) { render.stdoutSoFar.contains("\"progress\"") })
            first.send(SIGKILL)
            _ = first.wait()
            let entries = try FileManager.default.contentsOfDirectory(atPath: lot.content(of: "one"))
            let fetched = try #require(
                entries.first {
                    FileManager.default.fileExists(atPath: "\(lot.content(of: "one"))/\($0)/pattern.mp4")
                }, "\(entries)")
            let data = "\(lot.content(of: "one"))/\(fetched)/.data"
            let handle = try #require(FileHandle(forUpdatingAtPath: data))
            try handle.seek(toOffset: 4000)
            try handle.write(contentsOf: Data(repeating: 0xAA, count: 500))
            try handle.close()
            let second = try lot.node("one", at: endpoint)
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(second.stderrSoFar)")
            #expect(try lot.lot.output == local)
            #expect(
                second.stderrSoFar.contains("damaged blocks of ‘\(lot.media)/pattern.mp4’"), "\(second.stderrSoFar)")
        }

        @Test func `a plugin goes to nodes whose owners take it, and to no others`() throws {
            let lot = try ApartLot(nodes: ["none", "pinned"])
            try FileManager.default.createDirectory(atPath: lot.plugins, withIntermediateDirectories: true)
            let library = lot.plugins + "/paints.so"
            try TestPlugin.build("paints.c", to: library)
            try lot.studio.script(
                "draft:add_clip('\(lot.media)/pattern.mp4', { range = { 0, 1 } })\ndraft:add_effect('test.paints', {})")
            let words = ["--plugin-path", lot.plugins]
            let local = try lot.local(words)
            let (render, endpoint) = try lot.lot.listening(words)
            let none = try lot.node("none", at: endpoint)
            #expect(
                Command.until(timeout: 30) {
                    render.stderrSoFar.contains("it refuses plugins (--plugins), and ‘\(library)’ is one")
                }, "\(render.stderrSoFar)")
            let digest = try Command.run(["sha256sum", library]).text
            let list = try lot.studio.folder.write(digest, to: "pinned.txt")
            let pinned = try lot.node("pinned", at: endpoint, ["--plugins", "pinned:" + list])
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(pinned.stderrSoFar)")
            #expect(try lot.lot.output == local)
            #expect(!none.stderrSoFar.contains("paints"))
        }

        /// The node also describes the library, before anything is known about the files.
        @Test func `a plugin's data files go with it`() throws {
            let lot = try ApartLot(nodes: ["one"])
            try FileManager.default.createDirectory(atPath: lot.plugins + "/data", withIntermediateDirectories: true)
            try TestPlugin.build("reads.c", ["DECLARES"], to: lot.plugins + "/reads.so")
            try Data("z".utf8).write(to: URL(filePath: lot.plugins + "/data/add.bin"))
            try lot.studio.script(
                "draft:add_clip('\(lot.media)/pattern.mp4', { range = { 0, 1 } })\ndraft:add_effect('test.reads', {})")
            let words = ["--plugin-path", lot.plugins]
            let local = try lot.local(words)
            let (render, endpoint) = try lot.lot.listening(words)
            let node = try lot.node("one", at: endpoint, ["--plugins", "allow"])
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(node.stderrSoFar)")
            #expect(try lot.lot.output == local)
        }

        /// The disk of one node is too small for the files to fetch; another may not use that much.
        @Test func `a node without room sends its jobs to others`() throws {
            let lot = try ApartLot(nodes: ["full", "small", "large"])
            let long = lot.media + "/long.wav"
            try FFmpeg.make(["-f", "lavfi", "-i", "sine=d=25:r=48000", "-ac", "1"], at: long)
            try lot.studio.script(
                "draft:add_clip('\(lot.media)/pattern.mp4', { range = { 0, 1 } })\ndraft:add_audio('\(long)', { loop = true })"
            )
            let local = try lot.local()
            let (render, endpoint) = try lot.lot.listening()
            let full = try lot.node("full", at: endpoint, disk: 2000)
            #expect(
                Command.until(timeout: 30) {
                    render.stderrSoFar.contains(/‘[^’]*long.wav’ cannot be stored in ‘[^’]*’: No space left on device/)
                }, "\(render.stderrSoFar)\n\(full.stderrSoFar)")
            let small = try lot.node("small", at: endpoint, ["--content-cache", "1M"])
            #expect(
                Command.until(timeout: 30) {
                    render.stderrSoFar.contains(
                        /its content cache is too small: .* \(--content-cache\): ‘[^’]*long.wav’/)
                }, "\(render.stderrSoFar)\n\(small.stderrSoFar)")
            let large = try lot.node("large", at: endpoint)
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(large.stderrSoFar)")
            #expect(try lot.lot.output == local)
        }

        @Test func `what goes wrong is told with the server's paths`() throws {
            let lot = try ApartLot(nodes: ["one"])
            try lot.studio.script("draft:add_clip('\(lot.media)/missing.mp4', {})")
            let (render, endpoint) = try lot.lot.listening()
            let one = try lot.node("one", at: endpoint)
            var result = render.wait(timeout: 60)
            #expect(result.status == 65 && result.stderr.contains("media/missing.mp4’"), "\(result)")
            #expect(!result.stderr.contains("cutroom/nodes"), "\(result)")
            one.send(SIGTERM)
            #expect(one.wait(timeout: 20).status == 0)
            for (words, text) in [
                (["--content-cache", "x"], "‘--content-cache’ is ‘x’"), (["--content-cache", "3"], "at least 1M"),
                (["--plugins", "some"], "‘--plugins’ is ‘some’"), (["--content", "x"], "‘--content’ is ‘x’"),
            ] {
                result = try lot.node("one", at: "tcp://127.0.0.1:1", words).wait()
                #expect(result.status == 64 && result.stderr.contains(text), "\(result)")
            }
        }

        /// Tests that take longer.
        @Suite struct Sweep {
            /// The server is killed while the node works, and restarted; if `isKilled`, the node is
            /// also killed after it has finished.
            @Test(arguments: [false, true])
            func `what a node has made for a dead server is sent to the one that comes`(isKilled: Bool) throws {
                let lot = try ApartLot(nodes: ["one"])
                // Segments that take a while.
                try lot.studio.script(
                    "draft:add_clip('\(lot.media)/pattern.mp4')\ndraft:add_effect(\"org.cutroom.glitch\")",
                    size: (1280, 720))
                try FileManager.default.createDirectory(
                    atPath: lot.studio.file("state"), withIntermediateDirectories: true)
                var (server, endpoint) = try lot.lot.serve(at: "tcp://127.0.0.1:*", "--verbose")
                var node = try lot.node("one", at: endpoint)
                #expect(try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait().succeeded)
                #expect(Command.until(timeout: 60) { server.stderrSoFar.contains(/segment-\d+ started/) })
                _ = Command.until(timeout: 0.2) { false }
                server.send(SIGKILL)
                _ = server.wait()
                func spooled() -> [String] {
                    ((try? FileManager.default.contentsOfDirectory(atPath: lot.spool(of: "one"))) ?? []).filter {
                        $0.hasSuffix(".result")
                    }
                }
                #expect(Command.until(timeout: 60) { !spooled().isEmpty }, "\(node.stderrSoFar)")
                if isKilled {
                    node.send(SIGKILL)
                    _ = node.wait()
                    node = try lot.node("one", at: endpoint)
                }
                // The server has no worker of its own: the node's only slot inspects the files
                // before it sends results.
                (server, endpoint) = try lot.lot.serve(at: endpoint, "--verbose")
                #expect(lot.lot.waitForRender(), "\(server.stderrSoFar)\n\(node.stderrSoFar)")
                for process in [node, server] {
                    process.send(SIGTERM)
                    #expect(process.wait(timeout: 20).status == 0)
                }
                #expect(server.stderrSoFar.contains("already has it"), "\(server.stderrSoFar)")
                #expect(spooled().isEmpty)
                #expect(try lot.lot.output == lot.local())
            }
        }
    }
}
