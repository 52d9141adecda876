import TestSupport
import Testing

@testable import Editor
@testable import Web

/// Headers of requests, and the decisions based on them alone.
@Suite struct AdmissionTests {
    private func head(_ text: String) throws(RequestHead.Refusal) -> RequestHead { try RequestHead(Array(text.utf8)) }

    @Test func aHeadIsReadStrictly() throws {
        let head = try head("GET /a?b=c%20d HTTP/1.1\r\nHost: x:1\r\nCookie: a=1; b = 2\r\nUPGRADE: WebSocket")
        #expect(head.method == "GET" && head.path == "/a" && head.query("b") == "c d")
        #expect(head["host"] == "x:1" && head.cookie("a") == "1" && head.cookie("b") == "2" && head.cookie("c") == nil)
        #expect(head.isUpgrade)
    }

    @Test func whateverBytesComeAHeadIsReadOrRefused() {
        let cases = Seed.cases(3000)
        let seed = Seed.announced(for: "AdmissionTests", cases: cases)
        let pieces = [
            "GET", " ", "/", "HTTP/1.1", "\r\n", "\n", "\r", ":", "Host", "a", "%2e", "?", "\u{0}", "é", "=", ";",
        ]
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in random.pick(pieces) }.joined()
            guard let head = try? head(text) else { continue }
            #expect(!head.method.isEmpty && head.target.hasPrefix("/"), "case \(index)")
            #expect(
                !String(decoding: head.forwarded(1, isLocal: true), as: UTF8.self).dropLast(4).contains("\r\n\r\n"),
                "case \(index)")
        }
    }

    @Test func aNameThatAnybodyCanGiveIsNoneOfTheMachines() throws {
        let near = try #require(WebAddress("127.0.0.1", port: 80))
        #expect(near.isNamed("127.0.0.1:80") && near.isNamed("localhost:80"))
        #expect(!near.isNamed("evil.example:80") && !near.isNamed("192.168.1.5:80") && !near.isNamed("127.0.0.1:81"))
        // Browsers leave out the usual port.
        #expect(near.isNamed("127.0.0.1") && !near.isNamed("127.0.0.1:") && !near.isNamed(":80"))
        #expect(try !#require(WebAddress("127.0.0.1", port: 8000)).isNamed("127.0.0.1"))
        let all = try #require(WebAddress("0.0.0.0", port: 80))
        #expect(all.isNamed("192.168.1.5:80") && !all.isNamed("evil.example:80"))
        #expect(WebAddress("localhost", port: 80) == nil && WebAddress("::1", port: 80) == nil)
    }

    private func certificate(_ names: String...) throws -> Certificate {
        let folder = try TemporaryFolder()
        let made = try TestCertificate(for: names)
        return try Certificate(folder.write(made.certificate + made.key, to: "both.pem"), key: nil)
    }

    @Test func aCertificateAddsItsNames() throws {
        let own = try certificate("studio.example", "*.studio.example", "10.0.0.1")
        let near = try #require(WebAddress("127.0.0.1", port: 443, certificate: own))
        for name in ["studio.example", "a.studio.example:443", "STUDIO.example", "127.0.0.1", "10.0.0.1"] {
            #expect(near.isNamed(name), "\(name)")
        }
        for name in ["example", "a.b.studio.example", "studio.example:80", "evil.example", "10.0.0.2", "*.example"] {
            #expect(!near.isNamed(name), "\(name)")
        }
        #expect(near.isOwn("https://studio.example", "studio.example"))
        #expect(!near.isOwn("https://a.studio.example", "studio.example"))
        #expect(!near.isOwn("http://studio.example", "studio.example"))
        // None of its names leads to the address.
        #expect(near.url == "https://127.0.0.1:443" && near.warnings.count == 1, "\(near.warnings)")
    }

    @Test func thePrintedAddressIsOneThatLeadsHere() throws {
        let local = try certificate("localhost")
        #expect(WebAddress("127.0.0.1", port: 1, certificate: local)?.url == "https://localhost:1")
        let far = try #require(WebAddress("192.0.2.1", port: 1, certificate: local))
        #expect(far.url == "https://192.0.2.1:1")
        #expect(far.warnings.first?.contains("is not valid for ‘192.0.2.1’") == true, "\(far.warnings)")
        let both = try certificate("192.0.2.1", "127.0.0.1")
        #expect(WebAddress("192.0.2.1", port: 1, certificate: both)?.warnings == [])
        #expect(WebAddress("0.0.0.0", port: 1, certificate: both)?.url == "https://127.0.0.1:1")
        #expect(WebAddress("0.0.0.0", port: 1, certificate: both)?.warnings == [])
    }

    @Test func wordsAreQuotedForAShell() {
        #expect(Editor.quoted("a=b/c.mp4") == "a=b/c.mp4")
        #expect(Editor.quoted("a=it's $x") == "'a=it'\\''s $x'")
    }

    @Test func tokensAreLongAndNeverTheSame() {
        let tokens = (0..<100).map { _ in Admission.newToken() }
        #expect(Set(tokens).count == 100 && tokens.allSatisfy { $0.count >= 28 })
    }
}
