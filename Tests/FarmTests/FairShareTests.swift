import TestSupport
import Testing

@testable import Farm

/// The order of members, compared with an observer's counts.
@Suite struct FairShareTests {
    private func share() -> FairShare<String> { FairShare(most: 16, slack: 3) }

    @Test func whoHasHadLeastGoesFirst() {
        var share = share()
        for (order, member) in ["a", "b", "c"].enumerated() { share.join(member, order: UInt64(order)) }
        var turns = ""
        for _ in 0..<9 {
            guard let next = share.ranking.first?.member else { break }
            turns += next
            // The jobs of c cost twice as much.
            share.charge(next, next == "c" ? 2 : 1)
        }
        #expect(turns == "abcababca", "\(turns)")
        #expect(share.lead(of: "c", over: "c") == 0 && share.lead(of: "nobody", over: "a") == 0)
    }

    @Test func whoComesAnewHasNeitherDebtNorCredit() {
        var share = share()
        share.join("a", order: 0)
        for _ in 0..<100 { share.charge("a", 1) }
        share.join("b", order: 1)
        #expect(share.tag(of: "b") == share.tag(of: "a"))
        share.charge("b", 5)
        // A member that leaves and comes back keeps what it has had …
        share.leave("b")
        share.join("b", order: 2)
        #expect(share.lead(of: "b", over: "a") == 5)
        share.leave("b")
        for _ in 0..<50 { share.charge("a", 1) }
        // … until the others have had as much.
        share.join("b", order: 3)
        #expect(share.lead(of: "b", over: "a") == 0 && share.tag(of: "b") == share.tag(of: "a"))
    }

    @Test func whoCouldNotBeServedHasLittleCreditAndHoldsUpNobody() {
        var share = share()
        share.join("stuck", order: 0)
        share.join("a", order: 1)
        for _ in 0..<1000 { share.charge("a", 1) }
        share.join("b", order: 2)
        #expect(share.lead(of: "a", over: "b") <= 4, "b waits for nobody who was served while stuck was not")
        var credit = 0
        while share.ranking.first?.member == "stuck" {
            share.charge("stuck", 1)
            credit += 1
        }
        #expect((1...17).contains(credit), "\(credit)")
    }

    @Test func whoHasLeftIsForgotten() {
        var share = share()
        share.join("a", order: 0)
        for number in 1...10_000 {
            let member = "m\(number)"
            share.join(member, order: UInt64(number))
            share.charge(member, 3)
            share.leave(member)
            share.charge("a", 2)
        }
        #expect(share.memory < 200, "\(share.memory)")
    }

    /// Members come and go; each waiting one is served, and none is far from the others.
    @Test func nobodyWaitsLongAndNobodyIsFarAhead() {
        let seed = Seed.announced(for: "fair share", cases: 100)
        for round in 0..<Seed.cases(100) {
            var random = SplitMix64.forCase(round, of: seed)
            var share = share()
            let most = UInt64.random(in: 1...9, using: &random)
            var waited: [String: Int] = [:]
            for step in 0..<500 {
                let member = "m\(Int.random(in: 0..<8, using: &random))"
                if random.chance(1, in: 8) {
                    share.join(member, order: UInt64(step))
                    waited[member] = waited[member] ?? 0
                } else if random.chance(1, in: 12) {
                    share.leave(member)
                    waited[member] = nil
                } else if let first = share.ranking.first {
                    // The next member, or another one that is not too far ahead of it.
                    let cost = UInt64.random(in: 1...most, using: &random)
                    let near = share.ranking.filter { $0.tag - first.tag <= 3 * cost }
                    let next = random.chance(1, in: 2) ? first : near.randomElement(using: &random) ?? first
                    share.charge(next.member, cost)
                    for member in waited.keys { waited[member, default: 0] += 1 }
                    waited[next.member] = 0
                }
                let tags = share.ranking.map(\.tag)
                #expect(share.ranking == share.ranking.sorted() && Set(waited.keys) == Set(share.ranking.map(\.member)))
                #expect(tags.allSatisfy { $0 <= share.time + 4 * most }, "seed \(seed), round \(round): \(tags)")
                #expect(share.time <= tags.first ?? share.time, "seed \(seed), round \(round)")
                // Each of the 7 others may have this many before, of the least cost.
                let limit = Int(8 * 7 * most)
                #expect(waited.values.allSatisfy { $0 <= limit }, "seed \(seed), round \(round): \(waited)")
            }
        }
    }
}
