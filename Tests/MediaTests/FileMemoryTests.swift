import Testing

@testable import Media

/// What readers of one process share.
@Suite struct FileMemoryTests {
    @Test func `the least recently used value is evicted first`() {
        let memory = FileMemory<String, Int>(most: 3)
        for (number, key) in ["a", "b", "c"].enumerated() { memory.keep(number, for: key) }
        #expect(memory["a"] == 0, "used now")
        memory.keep(3, for: "d")
        #expect(memory["b"] == nil && memory["a"] == 0 && memory["c"] == 2 && memory["d"] == 3)
    }

    @Test func `values are evicted until the rest is within its bound`() {
        let memory = FileMemory<Int, [UInt8]>(most: 100, mostBytes: 10) { $0.count }
        for key in 0..<5 { memory.keep([1, 2, 3], for: key) }
        #expect(memory.bytes == 9 && memory[1] == nil && memory[2] != nil)
        memory.keep([UInt8](repeating: 0, count: 8), for: 2)
        #expect(memory.bytes == 8 && memory[2]?.count == 8 && memory[4] == nil, "one that grows counts as well")
        memory.keep([UInt8](repeating: 0, count: 11), for: 9)
        #expect(memory.bytes == 0, "one that is larger than the bound is not kept")
    }

    @Test func `a better value stays`() {
        let memory = FileMemory<String, Int>(most: 2)
        memory.keep(5, for: "a") { $0 > 5 }
        memory.keep(4, for: "a") { $0 > 4 }
        #expect(memory["a"] == 5)
        memory.keep(6, for: "a") { $0 > 6 }
        #expect(memory["a"] == 6)
    }
}
