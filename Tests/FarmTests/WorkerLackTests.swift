import CPosix
import Glibc
import Testing

@testable import Farm

/// The resource that a crashed worker lacked, from what it left.
@Suite struct WorkerLackTests {
    private static let none = ProcessLimit(.addressSpace, value: .max)
    private static let little = ProcessLimit(.addressSpace, value: 500_000 << 10)

    @Test func `memory near its limit is what it died of`() {
        let near = MemoryAtDeath("480000000 100000\n"), far = MemoryAtDeath("200000000 100000\n")
        let text = "ran out of memory, of which a process may have 488 MiB (ulimit -v 500000)"
        #expect(WorkerLack.text("", near, [Self.little]) == text)
        #expect(WorkerLack.text("", far, [Self.little]) == nil)
        #expect(WorkerLack.text("", near, [Self.none]) == nil)
        #expect(WorkerLack.text("", nil, [Self.little]) == nil)
        let data = ProcessLimit(.data, value: 100_000 << 10)
        #expect(
            WorkerLack.text("", MemoryAtDeath("900000000 99000000"), [Self.none, data])?.contains("-d 100000") == true)
    }

    @Test func `what a library has said counts`() {
        let said = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc"
        #expect(WorkerLack.text(said, nil, [Self.little])?.contains("ulimit -v 500000") == true)
        #expect(WorkerLack.text(said, nil, [Self.none])?.contains("the machine has too little") == true)
        #expect(WorkerLack.text("Segmentation fault", nil, [Self.none]) == nil)
    }

    /// A SIGKILL of a process that has time left comes from outside.
    @Test func `the system's own end of processor time is told from other kills`() {
        let second = ProcessLimit(.processorTime, value: 1)
        func signal(_ number: Int32, _ micros: UInt64, _ limit: ProcessLimit) -> Int32 {
            WorkerProcess.signal(
                of: cposix_end(signalled: true, value: number, processor_micros: micros), allowed: limit)
        }
        #expect(signal(SIGKILL, 1_000_000, second) == SIGXCPU)
        #expect(signal(SIGKILL, 960_000, second) == SIGXCPU, "the system's ticks are not exact")
        #expect(signal(SIGKILL, 700_000, second) == SIGKILL)
        #expect(signal(SIGKILL, 5_000_000, ProcessLimit(.processorTime, value: .max)) == SIGKILL)
        #expect(signal(SIGSEGV, 5_000_000, second) == SIGSEGV)
        #expect(second.forPeople == "1 s (ulimit -t 1)")
    }

    @Test(arguments: [
        "", "\n", "12", "a b", "1 2 3", "-1 5", "99999999999999999999999 1", "18446744073709551615 0",
        "0 18446744073709551615",
    ])
    func `a note that is none is not read`(note: String) { #expect(MemoryAtDeath(note) == nil) }
}
