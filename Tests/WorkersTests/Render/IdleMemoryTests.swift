import Testing

@testable import Workers

/// Memory that is used again.
@Suite struct IdleMemoryTests {
    @Test func `the same size is given again, and another one is not`() {
        let idle = IdleMemory(limit: 100)
        let first = idle.take(64, alignment: 64)
        idle.give(first, 64)
        #expect(idle.bytes == 64)
        let other = idle.take(32, alignment: 64)
        #expect(other != first && idle.bytes == 64)
        #expect(idle.take(64, alignment: 64) == first && idle.bytes == 0)
        idle.give(first, 64)
        idle.give(other, 32)
        #expect(idle.bytes == 96)
    }

    @Test func `no more lies idle than the limit, and the oldest goes`() {
        let idle = IdleMemory(limit: 100)
        let sizes = [40, 50, 30, 200, 60]
        let blocks = sizes.map { idle.take($0, alignment: 16) }
        idle.give(blocks[0], 40)
        idle.give(blocks[1], 50)
        idle.give(blocks[2], 30)
        #expect(idle.bytes == 80)
        idle.give(blocks[3], 200)
        #expect(idle.bytes == 0)
        idle.give(blocks[4], 60)
        #expect(idle.bytes == 60 && idle.take(60, alignment: 16) == blocks[4])
        idle.give(blocks[4], 60)
    }
}
