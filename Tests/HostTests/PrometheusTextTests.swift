import Farm
import Testing

@testable import Server

/// The text format of Prometheus.
@Suite struct PrometheusTextTests {
    @Test func `figures are lines, with what must be escaped`() {
        var text = PrometheusText()
        text.add("a_total", .counter, "How many \\ there\nwere.", 12)
        text.add(
            "b", .gauge, "By \"what\".",
            [.init(["what": "a \"b\"\\\n"], 0.25), .init(["what": "c", "where": "d"], 1e16)])
        #expect(
            text.text == """
                # HELP a_total How many \\\\ there\\nwere.
                # TYPE a_total counter
                a_total 12
                # HELP b By "what".
                # TYPE b gauge
                b{what="a \\"b\\"\\\\\\n"} 0.25
                b{what="c",where="d"} 1e+16

                """)
    }

    @Test func `a histogram counts what is not above each bound`() {
        var histogram = Histogram(bounds: [0.1, 1])
        for seconds in [0.05, 0.1, 0.5, 7, .nan, -1] { histogram.add(seconds) }
        var text = PrometheusText()
        text.add("h_seconds", "How long.", histogram)
        #expect(
            text.text == """
                # HELP h_seconds How long.
                # TYPE h_seconds histogram
                h_seconds_bucket{le="0.1"} 3
                h_seconds_bucket{le="1"} 4
                h_seconds_bucket{le="+Inf"} 5
                h_seconds_sum 7.65
                h_seconds_count 5

                """)
    }

    @Test(arguments: [
        ("9464", "127.0.0.1:9464"), ("127.0.0.1:9464", "127.0.0.1:9464"), ("0.0.0.0:1", "0.0.0.0:1"),
        ("[::1]:9464", "[::1]:9464"),
    ]) func `an address is a number`(word: String, text: String) throws {
        let address = try #require(MetricsAddress(argument: word))
        #expect(address.text(port: address.port) == text)
    }

    @Test(arguments: [
        "", ":", "x", "localhost:9464", "127.0.0.1", "1.2.3:4", "::1:9464", "[::1]", "127.0.0.1:65536", "1.2.3.4:-1",
    ])
    func `what is no address is none`(word: String) { #expect(MetricsAddress(argument: word) == nil) }
}
