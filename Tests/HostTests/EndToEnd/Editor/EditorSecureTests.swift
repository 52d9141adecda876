import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The editor's page over HTTPS.
    @Suite struct EditorSecureTests {
        /// Requests with Python's `ssl`, which checks the certificate: PORT TOKEN CERTIFICATE.
        private static let client = """
            import concurrent.futures, hashlib, http.client, json, socket, ssl, sys, time

            port, token = int(sys.argv[1]), sys.argv[2]
            context = ssl.create_default_context(cafile=sys.argv[3])
            fields = {"Authorization": "Bearer " + token}

            def get(path, name="127.0.0.1", pause=0):
                connection = http.client.HTTPSConnection(name, port, context=context, timeout=60)
                # Every name is that of this machine.
                plain = socket.create_connection(("127.0.0.1", port), 60)
                connection.sock = context.wrap_socket(plain, server_hostname=name)
                connection.request("GET", path, headers=fields)
                answer = connection.getresponse()
                time.sleep(pause)
                body = answer.read()
                connection.close()
                return answer.status, body

            def plain(sent):
                connection = socket.create_connection(("127.0.0.1", port), 60)
                connection.sendall(sent)
                answer = connection.recv(65536)
                connection.close()
                return answer

            deadline = time.monotonic() + 60
            while json.loads(get("/api/state")[1])["status"] != "ready":
                assert time.monotonic() < deadline, "the editor is not ready"
                time.sleep(0.1)

            """

        private static func editor(
            _ studio: Studio, _ certificate: TestCertificate, _ arguments: [String] = []
        ) throws -> EditorClient {
            try studio.script("draft:add_clip(\(try Footage.silent.lua))")
            let files = try write(studio, certificate)
            return try EditorClient(
                studio, ["edit.lua", "--certificate", files.certificate, "--certificate-key", files.key] + arguments)
        }

        private static func write(
            _ studio: Studio, _ certificate: TestCertificate
        ) throws -> (certificate: String, key: String) {
            let folder = try studio.outside()
            let files = (certificate: folder + "/certificate.pem", key: folder + "/key.pem")
            try Data(certificate.certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
            try Data(certificate.key.utf8).write(to: URL(fileURLWithPath: files.key))
            return files
        }

        private static func ask(_ studio: Studio, _ editor: EditorClient, _ script: String) throws {
            let script = client + script
            let result = try Command.run([
                "python3", "-c", script, "\(editor.port)", editor.token, try studio.outside() + "/certificate.pem",
                try studio.outside() + "/page/large.js",
            ])
            #expect(result.succeeded, "\(result)")
        }

        @Test func `requests are answered under names of the certificate`() throws {
            let studio = try Studio()
            let editor = try Self.editor(
                studio, TestCertificate(for: ["127.0.0.1", "studio.example", "*.studio.example"]))
            let address = editor.command.stdoutSoFar
            #expect(address.hasPrefix("https://127.0.0.1:\(editor.port)/?token="), "\(address)")
            #expect(editor.command.stderrSoFar == "")
            try Self.ask(
                studio, editor,
                """
                assert get("/api/state", "studio.example")[0] == 200
                assert get("/api/state", "a.studio.example")[0] == 200
                # The certificate is not valid for it, and neither is the name.
                context.check_hostname = False
                assert get("/api/state", "evil.example")[0] == 403
                context.check_hostname = True
                for origin, status in (("https://127.0.0.1", 200), ("http://127.0.0.1", 403), ("https://studio.example", 403)):
                    fields["Origin"] = f"{origin}:{port}"
                    assert get("/api/state")[0] == status, origin
                del fields["Origin"]

                connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
                connection.request("GET", "/?token=" + token)
                cookie = connection.getresponse().getheader("Set-Cookie")
                assert cookie == f"__Host-cutroom-{port}={token}; HttpOnly; Secure; SameSite=Strict; Path=/", cookie

                context.maximum_version = ssl.TLSVersion.TLSv1_2
                assert get("/api/state")[0] == 200
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = ssl.TLSVersion.TLSv1_1
                try:
                    get("/api/state")
                    raise AssertionError("TLS 1.1 is accepted")
                except ssl.SSLError:
                    pass
                """)
            editor.end(studio)
        }

        @Test func `many and slow clients receive whole answers`() throws {
            let studio = try Studio()
            // More than sockets hold.
            let page = try studio.outside() + "/page"
            try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
            var random = SplitMix64(seed: 1)
            let large = Data((0..<1_000_000).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
            try large.write(to: URL(fileURLWithPath: page + "/large.js"))
            let editor = try Self.editor(studio, TestCertificate(for: ["127.0.0.1"]))
            try Self.ask(
                studio, editor,
                """
                key = json.loads(get("/api/state")[1])["parts"][0]["key"]
                first = get(f"/part/{key}.mp4")
                assert first[0] == 200 and len(first[1]) > 1000, first
                with concurrent.futures.ThreadPoolExecutor(24) as pool:
                    assert all(answer == first for answer in pool.map(lambda _: get(f"/part/{key}.mp4"), range(96)))

                # Slow ones: what is not read yet waits in the server.
                def digest(number):
                    plain = socket.socket()
                    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
                    plain.settimeout(60)
                    plain.connect(("127.0.0.1", port))
                    secure = context.wrap_socket(plain, server_hostname="127.0.0.1")
                    secure.sendall(f"GET /assets/large.js HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nAuthorization: Bearer {token}\\r\\n\\r\\n".encode())
                    data = bytearray()
                    while piece := secure.recv(65536):
                        if number == 0 and len(data) % 7 == 0:
                            time.sleep(0.002)
                        data += piece
                    # Python reports an end without close_notify as an error.
                    return hashlib.sha256(data[data.index(b"\\r\\n\\r\\n") + 4:]).hexdigest()

                expected = hashlib.sha256(open(sys.argv[4], "rb").read()).hexdigest()
                with concurrent.futures.ThreadPoolExecutor(6) as pool:
                    assert all(found == expected for found in pool.map(digest, range(6)))

                # Another connection resumes the session.
                def connect(session=None):
                    plain = socket.create_connection(("127.0.0.1", port), 60)
                    secure = context.wrap_socket(plain, server_hostname="127.0.0.1", session=session)
                    secure.sendall(f"GET /api/state HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nAuthorization: Bearer {token}\\r\\n\\r\\n".encode())
                    while secure.recv(65536):
                        pass
                    return secure

                again = connect(connect().session)
                assert again.session_reused
                """)
            editor.end(studio)
        }

        @Test func `clients without TLS are told so, and unfinished handshakes keep nobody out`() throws {
            let studio = try Studio()
            let editor = try Self.editor(studio, TestCertificate(for: ["127.0.0.1"]))
            try Self.ask(
                studio, editor,
                """
                request = f"GET /?token={token} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n".encode()
                answer = plain(request).decode()
                assert answer.startswith("HTTP/1.1 400 ") and "begins with https://" in answer, answer
                assert "Set-Cookie" not in answer
                # Records that are too long or contain no handshake are answered with an alert.
                for sent in (b"\\x16\\x03\\x01\\xff\\xff" + bytes(400), b"\\x16\\x03\\x01\\x00\\x10" + bytes(16)):
                    answer = plain(sent)
                    assert answer[:1] == b"\\x15", answer
                silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
                halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
                for half in halves:
                    half.sendall(b"\\x16\\x03\\x01\\x02\\x00\\x01\\x00")
                # One that leaves in the middle of an answer.
                for _ in range(20):
                    one = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1")
                    one.sendall(request)
                    one.close()
                assert get("/api/state")[0] == 200
                """)
            editor.end(studio)
        }

        @Test func `a certificate that browsers will refuse is a warning`() throws {
            for (names, days, says) in [
                (["127.0.0.1"], -20...(-10), "certificate.pem’ expired on 20"),
                (["127.0.0.1"], 10...20, "certificate.pem’ is valid only from 20"),
                (
                    ["10.0.0.1"], -1...30,
                    "certificate.pem’ is not valid for ‘127.0.0.1’, so browsers will warn of it. It names ‘10.0.0.1’."
                ),
                (
                    [], -1...30,
                    "is not valid for ‘127.0.0.1’, so browsers will warn of it. It contains no DNS name or IPv4 address."
                ),
            ] {
                let studio = try Studio()
                let editor = try Self.editor(studio, TestCertificate(for: names, days: days))
                let warned = editor.command.stderrSoFar
                #expect(warned.contains("warning: ") && warned.contains(says), "\(warned)")
                #expect(warned.split(separator: "\n").count == 1, "\(warned)")
                editor.end(studio)
            }
        }

        @Test func `a certificate that cannot be used is an error`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.silent.lua))")
            let (one, other) = (try TestCertificate(for: ["127.0.0.1"]), try TestCertificate(for: ["127.0.0.1"]))
            let (certificate, key) = try Self.write(studio, one)
            let folder = try studio.outside()
            for (name, text) in [
                ("other", other.key), ("locked", one.lockedKey), ("both", one.key + one.certificate), ("empty", ""),
                ("text", "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            for (arguments, says, status) in [
                (["\(folder)/none"], "The certificate ‘\(folder)/none’ cannot be read: No such file or directory.", 66),
                ([folder], "The certificate ‘\(folder)’ is empty, or cannot be read.", 66),
                (["\(folder)/empty"], "The certificate ‘\(folder)/empty’ is empty, or cannot be read.", 66),
                (["\(folder)/text"], "‘\(folder)/text’ contains no certificate in PEM form", 66),
                ([key], "‘\(key)’ contains no certificate in PEM form", 66),
                ([certificate], "‘\(certificate)’ contains no private key in PEM form.", 66),
                ([certificate, "\(folder)/none"], "The private key ‘\(folder)/none’ cannot be read: No such", 66),
                ([certificate, "\(folder)/locked"], "The private key ‘\(folder)/locked’ has a passphrase.", 66),
                (
                    [certificate, "\(folder)/other"],
                    "The private key ‘\(folder)/other’ does not belong to the certificate ‘\(certificate)’.", 66
                ),
                ([nil, key], "‘--certificate-key’ needs ‘--certificate’.", 64),
            ] as [([String?], String, Int32)] {
                let options = zip(["--certificate", "--certificate-key"], arguments).flatMap { option, value in
                    value.map { [option, $0] } ?? []
                }
                let result = try studio.run(["edit", "edit.lua", "--no-open"] + options)
                #expect(result.status == status && result.stderr.contains(says), "\(arguments): \(result)")
            }
            // One file may have both.
            let editor = try EditorClient(studio, ["edit.lua", "--certificate", "\(folder)/both"])
            editor.end(studio)
        }

        /// Over HTTP, a browser would allow the page of another machine no camera.
        @Test(.enabled(if: Chromium.isPresent, Chromium.absence))
        func `a page of another name records`() throws {
            let studio = try Studio()
            let certificate = try TestCertificate(for: ["studio.example"])
            let files = try Self.write(studio, certificate)
            let bench = try RecordBench(
                studio, options: ["--certificate", files.certificate, "--certificate-key", files.key],
                host: "studio.example",
                browserArguments: [
                    "--host-resolver-rules=MAP studio.example 127.0.0.1",
                    "--ignore-certificate-errors-spki-list=\(certificate.keyDigest)",
                ])
            #expect(try bench.browser.text("location.protocol + location.hostname") == "https:studio.example")
            try bench.take(1, seconds: 1.5)
            _ = try bench.checkTake(1)
            #expect(bench.browser.complaints.filter { !$0.contains("a status of 404") } == [])
            try bench.render()
            bench.end()
        }
    }
}
