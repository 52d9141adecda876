import CFreshMemory
import Glibc
import TestSupport
import Testing

/// What the C library hands out in a process of workers begins as zeros, whatever lay there before.
@Suite(.enabled(if: !Sanitizer.isActive, "sanitizers have an allocator of their own"))
struct FreshMemoryTests {
    /// Bytes; from the smallest bins to what is a mapping of its own.
    private static let sizes = [1, 24, 100, 1000, 5000, 60_000, 400_000, 1 << 20, 5_000_000]

    private func isZero(_ memory: UnsafeMutableRawPointer, _ range: Range<Int>) -> Bool {
        let start = memory + range.lowerBound
        // Each byte is like the one after it, and the first is zero.
        return start.load(as: UInt8.self) == 0 && memcmp(start, start + 1, range.count - 1) == 0
    }

    /// Blocks full of ones, side by side, given back: the next ones of their size come from there.
    private func dirty(_ size: Int) {
        let blocks = (0..<16).map { _ in malloc(size)! }
        for block in blocks { memset(block, 0xff, size) }
        for block in blocks { free(block) }
    }

    @Test(arguments: sizes) func blocksAreZero(size: Int) {
        for _ in 0..<20 {
            dirty(size)
            let block = malloc(size)!
            #expect(isZero(block, 0..<size))
            free(block)
        }
    }

    @Test(arguments: sizes) func alignedBlocksAreZero(size: Int) {
        for alignment in [16, 64, 4096] {
            dirty(size + alignment)
            var block: UnsafeMutableRawPointer?
            #expect(posix_memalign(&block, alignment, size) == 0)
            #expect(Int(bitPattern: block) % alignment == 0 && isZero(block!, 0..<size))
            free(block)
            dirty(size + alignment)
            let other = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)!
            #expect(Int(bitPattern: other) % alignment == 0 && isZero(other, 0..<size))
            free(other)
        }
    }

    @Test(arguments: sizes) func whatABlockGrowsByIsZero(size: Int) {
        for factor in [2, 10] {
            dirty(size * factor)
            let small = malloc(size)!
            memset(small, 0xaa, size)
            let large = realloc(small, size * factor)!
            #expect(large.load(fromByteOffset: size - 1, as: UInt8.self) == 0xaa)
            #expect(isZero(large, size..<size * factor))
            free(large)
        }
    }

    @Test func wrongAlignmentsAreRefused() {
        for alignment in [0, 3, 4, 24] {
            var block = UnsafeMutableRawPointer(bitPattern: 1)
            #expect(posix_memalign(&block, alignment, 100) == EINVAL)
            #expect(block == UnsafeMutableRawPointer(bitPattern: 1))
        }
    }

    @Test func noMemoryIsSaid() {
        let before = errno
        var block: UnsafeMutableRawPointer?
        #expect(posix_memalign(&block, 64, Int.max / 2) == ENOMEM)
        #expect(block == nil && errno == before)
        #expect(malloc(Int.max / 2) == nil)
    }
}
