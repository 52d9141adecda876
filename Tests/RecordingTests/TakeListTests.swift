import Recording
import Testing
import Values

@Suite struct TakeListTests {
    private let file = RecordedFile(name: "0001.mp4", duration: Time(flicks: 700), size: 10)

    @Test func `takes follow their records`() {
        let half = TakeSettings(speed: Rational(1, 2))
        var list = TakeList([
            .begun(take: 1, half), .part(take: 1, name: "0001.part1.mp4"), .part(take: 1, name: "0001.part2.mp4"),
        ])
        #expect(list[1]?.parts == ["0001.part1.mp4", "0001.part2.mp4"] && list[1]?.state == .unjoined)
        #expect(list.kept.isEmpty && list.duration == .zero && list.next == 2)
        list.apply(.joined(take: 1, file))
        #expect(list[1]?.state == .joined(file) && list.kept.count == 1 && list.duration == Time(flicks: 1400))
        list.apply(.added(take: 1))
        #expect(list[1]?.state == .finished(file))
        list.apply(.discarded(take: 1))
        #expect(list.kept.isEmpty && list.duration == .zero)
        list.apply(.restored(take: 1))
        #expect(list[1]?.state == .joined(file))
        list.apply(.discarded(take: 1))
        list.apply(.removed(take: 1))
        #expect(list[1]?.state == .removed && list.next == 2)
    }

    @Test func `records that do not fit change nothing`() {
        let begun: [JournalRecord] = [.begun(take: 3, TakeSettings()), .part(take: 3, name: "a")]
        let list = TakeList(begun)
        for record: JournalRecord in [
            .begun(take: 3, TakeSettings(volume: 0)), .begun(take: 2, TakeSettings()), .part(take: 3, name: "a"),
            .part(take: 4, name: "b"), .added(take: 3), .discarded(take: 3), .restored(take: 3), .removed(take: 3),
            .joined(take: 9, file),
        ] {
            var changed = list
            changed.apply(record)
            #expect(changed == list, "\(record)")
        }
    }
}
