import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server started like by systemd: it receives its open socket, and reports when it is ready.
    @Suite struct ServiceTests {
        /// Opens a Unix socket, and one for the service's state; then executes the program.
        private static let manager = """
            import os, socket, sys
            door, notify, told = sys.argv[1:4]
            os.makedirs(os.path.dirname(door), mode=0o700, exist_ok=True)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(door)
            listener.listen(16)
            states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            states.bind("\\0" + notify[1:])
            states.settimeout(0.2)
            parent = os.getpid()
            if os.fork() == 0:
                listener.close()
                while True:
                    is_last = os.getppid() != parent
                    try:
                        with open(told, "ab") as file:
                            file.write(states.recv(4096) + b"\\n")
                    except TimeoutError:
                        if is_last:
                            os._exit(0)
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET=notify)
            os.execvp(sys.argv[4], sys.argv[4:])
            """

        @Test func `the door may be open before the server, and stays`() throws {
            let studio = try Studio()
            studio.environment["XDG_STATE_HOME"] = studio.file("state")
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })")
            let (door, told) = (studio.file("state/cutroom/door"), studio.file("told"))
            func start(_ door: String, _ options: [String] = []) throws -> Command {
                try studio.start(
                    ["serve", "--workers", "1"] + options,
                    through: ["python3", "-c", Self.manager, door, "@cutroom-test-\(UUID())", told])
            }
            let server = try start(door)
            // Clients that connect before the server starts are answered, too.
            try #require(Command.until { FileManager.default.fileExists(atPath: door) || !server.isRunning })
            let submitted = try studio.start(["submit", "edit.lua", "-o", "out.mp4", "--wait"]).wait()
            #expect(submitted.succeeded, "\(submitted)\n\(server.stderrSoFar)")
            func hasTold(_ state: String) -> Bool {
                (try? String(contentsOfFile: told, encoding: .utf8))?.contains(state) ?? false
            }
            #expect(Command.until { hasTold("READY=1\nSTATUS=") })
            #expect(studio.workers.allSatisfy { !Self.environment(of: $0).contains("LISTEN_FDS") })
            server.send(SIGTERM)
            #expect(server.wait().succeeded && Command.until { hasTold("STOPPING=1") })
            #expect(FileManager.default.fileExists(atPath: door), "it is the manager's")

            // A socket of another folder.
            let wrong = try start(studio.file("elsewhere/door"), ["--state", studio.file("mine")]).wait()
            #expect(
                wrong.status == 64 && wrong.stderr.contains("opened the socket ‘")
                    && wrong.stderr.contains("elsewhere/door’"), "\(wrong)")
            // Sockets that were opened for another process are ignored.
            studio.environment["LISTEN_PID"] = "1"
            studio.environment["LISTEN_FDS"] = "1"
            let alone = try studio.start(["serve", "--state", studio.file("own")])
            #expect(Command.until { alone.stderrSoFar.contains("listens in") || !alone.isRunning })
            alone.send(SIGTERM)
            #expect(alone.wait().succeeded)
        }

        @Test func `told to stop at any moment of its start, a server ends`() throws {
            let studio = try Studio()
            studio.environment["XDG_STATE_HOME"] = studio.file("state")
            let seed = Seed.announced(for: "moments of a server's start", cases: 10)
            var random = SplitMix64(seed: seed)
            for _ in 0..<10 {
                let server = try studio.start(["serve", "--workers", "1"])
                let moment = Double.random(in: 0..<0.15, using: &random)
                _ = Command.until(timeout: moment) { !server.isRunning }
                server.send(SIGTERM)
                let end = server.wait(timeout: 30)
                #expect(!end.isTimeout, "after \(moment) s: \(end)")
            }
        }

        private static func environment(of process: pid_t) -> String {
            String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data(), as: UTF8.self)
        }

        /// The units, with an existing program.
        @Test(.enabled(if: Command.isInstalled("systemd-analyze"), "systemd is not installed"))
        func `the units are what systemd understands, and give up what they can`() throws {
            let folder = try TemporaryFolder()
            let units = Project.root + "/tools/packages/systemd/"
            func unit(_ name: String, as path: String) throws -> String {
                let text = try String(contentsOfFile: units + name, encoding: .utf8)
                return try folder.write(text.replacing("@PREFIX@/bin/cutroom", with: "/bin/true"), to: path)
            }
            let system = try unit("cutroom.service.in", as: "system/cutroom.service")
            let own = [
                try unit("cutroom-user.service.in", as: "user/cutroom.service"),
                try unit("cutroom-user.socket", as: "user/cutroom.socket"),
            ]
            let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
            for words in [["verify", "--man=no", system], ["verify", "--user", "--man=no"] + own] {
                let checked = try Command.run(["systemd-analyze"] + words, environment: environment)
                #expect(checked.succeeded && !checked.stderr.contains("cutroom"), "\(checked)")
            }
            let exposure = try Command.run(["systemd-analyze", "security", "--offline=true", "--threshold=20", system])
            #expect(exposure.succeeded, "\(exposure)")
        }
    }
}
