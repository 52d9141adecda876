import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server's metrics over HTTP, parsed as by Prometheus.
    @Suite struct MetricsTests {
        private struct Answer {
            var status: Int
            var type: String
            var body: String
        }

        private static func get(_ url: String, method: String = "GET") throws -> Answer {
            let program = """
                import sys, urllib.request, urllib.error
                try:
                    answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1], method=sys.argv[2]), timeout=20)
                except urllib.error.HTTPError as error:
                    answer = error
                print(answer.status, answer.headers.get("Content-Type"), flush=True)
                sys.stdout.buffer.write(answer.read())
                """
            let output = try Command.run(["python3", "-c", program, url, method])
            try #require(output.succeeded, "\(output)")
            let lines = output.text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let head = lines[0].split(separator: " ", maxSplits: 1)
            return Answer(
                status: try #require(Int(head[0])), type: String(head[1]), body: lines.count > 1 ? String(lines[1]) : ""
            )
        }

        /// Parses every line of the text by the format's grammar: the samples by name and labels.
        private static func samples(_ text: String) throws -> [String: Double] {
            var (samples, types): ([String: Double], [String: String]) = ([:], [:])
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if line.hasPrefix("# HELP ") { continue }
                if let type = line.wholeMatch(of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/) {
                    #expect(types.updateValue(String(type.output.2), forKey: String(type.output.1)) == nil, "\(line)")
                    continue
                }
                let sample = try #require(
                    line.wholeMatch(
                        of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? ([-+0-9.eInf]+)/),
                    "\(line)")
                let (name, labels) = (String(sample.output.1), String(sample.output.2 ?? ""))
                let family = name.replacing(/_(bucket|sum|count)$/, with: "")
                #expect(types[name] != nil || types[family] == "histogram", "\(line) has no type before it")
                #expect(
                    types[name] != "counter" || name.hasSuffix("_total"), "counters' names end so: \(name)")
                let value = try #require(Double(sample.output.3), "\(line)")
                #expect(samples.updateValue(value, forKey: name + labels) == nil, "\(line) comes twice")
            }
            #expect(text.hasSuffix("\n"))
            return samples
        }

        @Test func `a server's figures are read, and agree with what it did`() throws {
            let studio = try Studio()
            studio.environment["XDG_STATE_HOME"] = studio.file("state")
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })")
            let server = try studio.start(["serve", "--workers", "2", "--metrics", "0"])
            try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
            let url = try #require(
                server.stderrSoFar.firstMatch(of: /metrics are at (http:\/\/127\.0\.0\.1:\d+)\/metrics/),
                "\(server.stderrSoFar)"
            )
            .output.1
            #expect(try Self.samples(Self.get("\(url)/metrics").body)["cutroom_renders{state=\"done\"}"] == 0)
            let submitted = try studio.start(["submit", "edit.lua", "-o", "out.mp4", "--wait"]).wait()
            try #require(submitted.succeeded, "\(submitted)")
            let answer = try Self.get("\(url)/metrics")
            #expect(answer.status == 200 && answer.type == "text/plain; version=0.0.4; charset=utf-8")
            let samples = try Self.samples(answer.body)
            #expect(samples["cutroom_renders{state=\"done\"}"] == 1 && samples["cutroom_jobs{state=\"running\"}"] == 0)
            let completed = try #require(samples["cutroom_jobs_ended_total{end=\"completed\"}"])
            let dispatched = try #require(samples["cutroom_dispatch_duration_seconds_count"])
            #expect(completed > 3 && dispatched >= completed)
            #expect(samples["cutroom_dispatch_duration_seconds_bucket{le=\"+Inf\"}"] == dispatched)
            #expect(samples["cutroom_job_duration_seconds_count"] == completed)
            #expect(try #require(samples["cutroom_journal_commit_duration_seconds_count"]) > 2)
            #expect(try #require(samples["cutroom_lease_epoch"]) >= completed)
            for name in [
                "process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds",
                "cutroom_journal_bytes",
                "cutroom_state_free_bytes", "cutroom_journal_records_total", "process_start_time_seconds",
            ] { #expect(try #require(samples[name], "\(name)") > 0, "\(name)") }
            if Command.isInstalled("promtool") {
                let checked = try Command.run(["promtool", "check", "metrics"], input: Data(answer.body.utf8))
                #expect(checked.succeeded, "\(checked)")
            }

            let status = try Self.get("\(url)/status")
            #expect(status.status == 200 && status.type == "application/json")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(status.body.utf8)) as? [String: Any], "\(status.body)")
            #expect((json["renders"] as? [String: Int])?["done"] == 1 && json["free_bytes"] != nil)
            #expect(
                ((json["queue"] as? [String: Any])?["totals"] as? [String: Any])?["completed"] as? Double == completed)
            #expect(try Self.get("\(url)/").status == 404)
            #expect(try Self.get("\(url)/metrics", method: "POST").status == 405)
            #expect(try Self.get("\(url)/metrics", method: "HEAD").body == "")

            // An address in use is reported.
            let port = try #require(url.split(separator: ":").last)
            studio.environment["XDG_STATE_HOME"] = studio.file("other")
            let other = try studio.start(["serve", "--metrics", String(port)]).wait()
            #expect(other.status == 69 && other.stderr.contains("(--metrics): Address already in use"), "\(other)")
            #expect(try studio.start(["serve", "--metrics", "localhost:1"]).wait().status == 64)
            server.send(SIGTERM)
            #expect(server.wait().succeeded)
        }

        /// A log line of a job has the ids of its render and worker.
        @Test func `logs have render, job, worker and lease`() throws {
            let studio = try Studio()
            studio.environment["XDG_STATE_HOME"] = studio.file("state")
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })")
            let server = try studio.start(["serve", "--workers", "1", "--verbose", "--log-format", "json"])
            try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
            #expect(try studio.start(["submit", "edit.lua", "-o", "out.mp4", "--wait"]).wait().succeeded)
            server.send(SIGTERM)
            let lines = server.wait().stderr.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            let job = try #require(lines.first { ($0["job"] as? String)?.contains("-segment-") == true })
            #expect(job["render"] as? String == "r1" && job["worker"] as? String != nil, "\(job)")
            #expect((job["lease"] as? String).flatMap { UInt64($0) } != nil, "\(job)")
        }
    }
}
