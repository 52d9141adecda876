import Testing
import Values

@testable import Media

@Suite struct PictureDamageTests {
    /// Damage beyond the limit is reported with its neighbour, wherever it lies.
    @Test(arguments: [true, false]) func `no damage is forgotten where there is much of it`(isRising: Bool) {
        var damage = PictureDamage()
        damage.begin(at: .zero)
        func time(_ number: Int) -> Time { Time(flicks: Int64(number) * Time.flicksPerSecond) }
        let count = PictureDamage.limit + 50
        for number in isRising ? Array(0..<count) : (0..<count).reversed() {
            damage.note(time(2 * number), until: time(2 * number + 1))
        }
        #expect(damage.stretches.count == PictureDamage.limit)
        for number in stride(from: 0, to: count, by: 75) {
            #expect(damage.overlap(with: time(2 * number)...time(2 * number)) != nil)
        }
        #expect(zip(damage.stretches, damage.stretches.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }
}
