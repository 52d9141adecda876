import Draft
import Foundation
import Jobs
import TestSupport
import Testing
import Values

/// What parts say of damage in their media: joined the same way whatever the parts are, and bounded
/// whoever says it.
@Suite struct SourceDamageTests {
    private let file = FileIdentity(size: 10, modified: 1, digest: "abc")

    private func seconds(_ start: Double, _ end: Double) -> Range<Time> {
        (Time(seconds: start) ?? .zero)..<(Time(seconds: end) ?? .zero)
    }

    @Test func stretchesCloseToEachOtherAreOne() throws {
        let damage = SourceDamage(
            file, isSound: false, [seconds(3, 4), seconds(0, 0.1), seconds(0.5, 0.6), seconds(3.5, 3.6)])
        #expect(
            damage.stretches == [
                TimeRange(start: .zero, duration: try #require(Time(seconds: 0.6))),
                TimeRange(start: try #require(Time(seconds: 3)), duration: try #require(Time(seconds: 1))),
            ])
        #expect(damage.omitted == 0)
    }

    /// The whole does not depend on how frames are divided among parts.
    @Test func partsAddUpToTheSameHoweverTheyAreCut() throws {
        let seed = Seed.announced(for: "damage in parts", cases: 200)
        for round in 0..<200 {
            var random = SplitMix64.forCase(round, of: seed)
            let ranges = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                let start = Double.random(in: 0...20, using: &random)
                return seconds(start, start + 0.04)
            }
            let whole = DamageReport([SourceDamage(file, isSound: false, ranges)])
            var parts: [Int: [Range<Time>]] = [:]
            for range in ranges { parts[Int.random(in: 0..<4, using: &random), default: []].append(range) }
            let reports = parts.values.map { DamageReport([SourceDamage(file, isSound: false, $0)]) }
            #expect(DamageReport.union(reports) == whole, "\(seed), round \(round)")
        }
    }

    @Test func whatAWorkerSaysIsBounded() throws {
        let stretch = #"{"start":"0s","duration":"1s"}"#
        func report(_ stretches: String, omitted: Int = 0) throws -> DamageReport {
            let text =
                #"{"sources":[{"file":{"size":1,"modified":1,"digest":"\#(String(repeating: "x", count: 100))"},"#
                + #""isSound":false,"#
                + #""stretches":[\#(stretches)],"omitted":\#(omitted)}]}"#
            return try JSONDecoder().decode(DamageReport.self, from: Data(text.utf8))
        }
        let extremes = [
            #"{"start":"9223372036854775807s","duration":"9223372036854775807s"}"#,
            #"{"start":"0s","duration":"-5s"}"#, #"{"start":"-9000000000s","duration":"1s"}"#,
            #"{"start":"0s","duration":"0s"}"#,
        ]
        for extreme in extremes {
            // Text that is no time at all is refused as a whole, with its job.
            guard let found = try? report("\(extreme),\(stretch)") else { continue }
            #expect(found.sources[0].stretches.count == 1, "\(extreme)")
        }
        #expect(try report(stretch, omitted: .max).sources[0].omitted == 1_000_000)
        #expect(try report(stretch, omitted: .min).sources[0].omitted == 0)
        #expect(try report(stretch).sources[0].file.digest.count == 64)
        let many = (0..<500).map { #"{"start":"\#($0 * 2)s","duration":"1s"}"# }.joined(separator: ",")
        let found = try report(many).sources[0]
        #expect(found.stretches.count == 100 && found.omitted == 400)
        let all = (0..<2000).map {
            #"{"file":{"size":\#($0),"modified":0,"digest":""},"isSound":true,"stretches":[],"omitted":0}"#
        }
        let text = #"{"sources":[\#(all.joined(separator: ","))]}"#
        #expect(try JSONDecoder().decode(DamageReport.self, from: Data(text.utf8)).sources.count == 1000)
    }

    @Test func reportsSurviveTheirRecord() throws {
        var part = RenderedFile(count: 1, size: 2, digest: "d")
        part.damage = DamageReport([
            SourceDamage(file, isSound: true, [seconds(1, 2)]), SourceDamage(file, isSound: false, []),
        ])
        #expect(try JSONDecoder().decode(RenderedFile.self, from: try JSONEncoder().encode(part)) == part)
    }
}
