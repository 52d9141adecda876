import Recording
import TestSupport
import Testing
import Values

@Suite struct JournalRecordTests {
    private static func random(_ random: inout SplitMix64) -> JournalRecord {
        let take = Int.random(in: 1...JournalRecord.mostTakes, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let speed = Rational(.random(in: 10...1000, using: &random), .random(in: 10...1000, using: &random))
            let replaced = take > 1 && random.chance(1, in: 2) ? Int.random(in: 1..<take, using: &random) : nil
            return .begun(
                take: take, TakeSettings(speed: speed, volume: .random(in: 0...100, using: &random)),
                replaces: replaced)
        case 1: return .part(take: take, name: random.pick(["0001.part1.mp4", "ä \"b\" \\.mp4", "x\u{2028}y"]))
        case 2:
            let duration = Time(flicks: .random(in: 1...Time.longest.flicks, using: &random))
            let size = Int64.random(in: 0...1 << 46, using: &random)
            let second = random.chance(1, in: 2) ? Time(flicks: .random(in: 1...duration.flicks, using: &random)) : nil
            let file = RecordedFile(
                name: "0001.mp4", duration: duration, size: size, hasPicture: size % 2 == 0, second: second)
            return .joined(take: take, file)
        case 3: return .added(take: take)
        case 4: return .dropped(take: take)
        case 5: return .discarded(take: take)
        case 6: return .restored(take: take)
        default: return .removed(take: take)
        }
    }

    @Test func `records are read as they were written`() {
        Seed.rounds(5000, of: "journal records") { name, random in
            var random = random
            let record = Self.random(&random)
            #expect(
                !record.line.contains("\n") && JournalRecord(line: record.line) == record, "\(name): \(record.line)")
        }
    }

    @Test func `a record that was cut off is none`() {
        Seed.rounds(200, of: "cut records") { name, random in
            var random = random
            let line = Self.random(&random).line
            for length in 0..<line.count { #expect(JournalRecord(line: line.prefix(length)) == nil, "\(name)") }
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "0001", #"{"event":"added"}"#, #"{"event":"added","take":0}"#,
        #"{"event":"added","take":-1}"#, #"{"event":"added","take":10000}"#, #"{"event":"added","take":1.5}"#,
        #"{"event":"brewed","take":1}"#, #"{"event":"begun","take":1}"#,
        #"{"event":"begun","take":1,"speed":"0","volume":1}"#, #"{"event":"begun","take":1,"speed":"-1","volume":1}"#,
        #"{"event":"begun","take":1,"speed":"1/0","volume":1}"#, #"{"event":"begun","take":1,"speed":"1","volume":-1}"#,
        #"{"event":"begun","take":1,"speed":"1","volume":1e999}"#, #"{"event":"part","take":1}"#,
        #"{"event":"part","take":1,"file":""}"#, #"{"event":"part","take":1,"file":"../../etc/passwd"}"#,
        #"{"event":"part","take":1,"file":"/etc/passwd"}"#, #"{"event":"part","take":1,"file":".hidden"}"#,
        #"{"event":"joined","take":1,"file":"a","duration":"0s","size":1}"#,
        #"{"event":"joined","take":1,"file":"a","duration":"-1s","size":1}"#,
        #"{"event":"joined","take":1,"file":"a","duration":"99999999999999s","size":1}"#,
        #"{"event":"joined","take":1,"file":"a","duration":"1s","size":-1}"#,
        #"{"event":"joined","take":1,"file":"a","duration":"1s","size":9223372036854775807}"#,
    ])
    func `what is no record is none`(line: String) { #expect(JournalRecord(line: line) == nil) }
}
