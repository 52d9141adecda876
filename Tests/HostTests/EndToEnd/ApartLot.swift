import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server and nodes that cannot see its files: in the node's mount namespace, an empty folder
    /// covers each of the server's.
    struct ApartLot {
        let lot: RemoteRenderTests.Lot
        var studio: Studio { lot.studio }

        /// A folder with media that nodes cannot see.
        var media: String { studio.file("media") }

        init(nodes: [String]) throws {
            lot = try RemoteRenderTests.Lot(nodes: nodes)
            try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
            for (path, name) in [(try Footage.pattern, "pattern.mp4"), (try Footage.tone, "tone.wav")] {
                try FileManager.default.copyItem(atPath: path, toPath: media + "/" + name)
            }
            try studio.script(
                """
                draft:add_clip("\(media)/pattern.mp4", { range = { 0, 3 } })
                draft:add_clip("\(media)/pattern.mp4", { range = { 0.5, 3 }, speed = 0.75, transition = { "dissolve", 0.5 } })
                draft:add_audio("\(media)/tone.wav", { loop = true, volume = 0.3 })
                draft:add_effect("org.cutroom.vignette", {})
                """)
        }

        /// Another folder that nodes cannot see.
        var plugins: String { studio.file("plugins") }

        /// Returns the bytes of a local render.
        func local(_ words: [String] = []) throws -> Data {
            let path = try studio.render(to: "local.mp4", with: ["--no-cache"] + words)
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }

        /// Returns the node's own cache folder.
        func cache(of node: String) -> String { studio.file("nodes/\(node)/cache") }
        func spool(of node: String) -> String { studio.file("nodes/\(node)/spool") }
        func content(of node: String) -> String { cache(of: node) + "/cutroom/nodes/\(node)" }

        func node(
            _ name: String, at endpoint: String, slots: Int = 1, _ more: [String] = [], disk kibibytes: Int? = nil
        ) throws -> Command {
            for folder in [cache(of: name), spool(of: name)] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let hidden = [media, plugins, studio.cache, studio.file("state")].filter {
                FileManager.default.fileExists(atPath: $0)
            }
            let disk = kibibytes.map {
                "mount -t tmpfs -o mode=700,size=\($0)k none '\(studio.file("nodes/\(name)"))' && "
            }
            let mounts = hidden.map { "mount -t tmpfs none '\($0)' && " }.joined() + (disk ?? "")
            return try Command(
                SmallDisk.namespace + [
                    "sh", "-c", mounts + "exec \"$0\" \"$@\"", Studio.products + "/cutroom-worker", "--connect",
                    endpoint, "--name", name, "--server-key", studio.file("config/cutroom/server/server.pub"),
                    "--slots", "\(slots)", "--spool", spool(of: name), "--no-shared-storage",
                ] + more,
                environment: [
                    "HOME": studio.file("node-home"), "XDG_CONFIG_HOME": studio.file("config"), "TMPDIR": "/tmp",
                    "XDG_RUNTIME_DIR": nil, "XDG_CACHE_HOME": cache(of: name), "CUTROOM_WORKER": nil,
                ])
        }
    }
}
