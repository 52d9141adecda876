import Composition
import Foundation
import Jobs
import Media
import Synchronization
import TestSupport
import Testing
import Values

@testable import Workers

/// A frame is the same for any number of threads.
@Suite(.waits) struct ThreadTests {
    /// Held by a test: the process has one number of threads.
    private static let number = NSLock()

    private static func contents(_ lab: SliceLab, _ slice: Slice, threads: Int) throws -> [UInt64] {
        ThreadPool.shared.width = threads
        defer { ThreadPool.shared.width = 1 }
        var contents: [UInt64] = []
        try lab.render(slice, -(slice.leadFrames ?? 0)..<slice.frameCount) { contents.append(SliceLab.content($1)) }
        return contents
    }

    /// Renders segments of random drafts with one thread, then with others.
    fileprivate static func compare(cases: Int, threads: [Int], _ name: String) throws {
        number.lock()
        defer { number.unlock() }
        let seed = Seed.announced(for: name, cases: cases)
        let lab = try SliceLab()
        var compared = 0
        // Continues until enough drafts were legal.
        for index in 0..<20 * cases where index < cases || compared <= cases / 4 {
            var random = SplitMix64.forCase(index, of: seed)
            guard let composition = lab.composition(&random) else { continue }
            let slice = Slice(composition, frames: random.pick(composition.segmentFrames()))
            let expected = try contents(lab, slice, threads: 1)
            for count in threads {
                let found = try contents(lab, slice, threads: count)
                #expect(found == expected, "case \(index) of CUTROOM_SEED=\(seed): \(count) threads")
            }
            compared += 1
        }
        #expect(compared > cases / 4)
    }

    @Test func randomDrafts() throws { try Self.compare(cases: Seed.cases(12), threads: [2, 5], "ThreadTests") }

    /// The number changes while a slice is rendered, as the host may tell a worker at any time.
    @Test func theNumberMayChangeAtAnyFrame() throws {
        Self.number.lock()
        defer { Self.number.unlock() }
        let lab = try SliceLab()
        let slice = try lab.slice(of: ["sound.mp4", "silent.mp4", "photo.png", "sound.mp4"], seconds: 0.8, looks: 2)
        let expected = try Self.contents(lab, slice, threads: 1)
        var random = SplitMix64(seed: Seed.announced(for: "threads that change", cases: 1))
        defer { ThreadPool.shared.width = 1 }
        var found: [UInt64] = []
        try lab.render(slice, 0..<slice.frameCount) {
            found.append(SliceLab.content($1))
            ThreadPool.shared.width = Int.random(in: 1...8, using: &random)
        }
        #expect(found == expected)
    }

    /// What is decoded ahead of a slice's end, or of a jump, is dropped, and the decoder goes back
    /// to its pool.
    @Test func aGraphThatStopsLeavesNothingBehind() throws {
        Self.number.lock()
        defer { Self.number.unlock() }
        let lab = try SliceLab()
        let slice = try lab.slice(of: ["sound.mp4"], seconds: 2)
        let expected = try Self.contents(lab, slice, threads: 1)
        ThreadPool.shared.width = 3
        defer { ThreadPool.shared.width = 1 }
        for frames in [[0, 1, 2, 3], [5, 6, 7, 2, 3, 4, 20, 21, 22, 21, 20], [58, 59]] {
            try lab.render(slice, frames) { #expect(SliceLab.content($1) == expected[$0], "frame \($0) of \(frames)") }
            let file = try #require(slice.files.first)
            let reader = try lab.worker.video.take(file.path, file.info.identity, near: .zero) {
                throw CancellationError()
            }
            lab.worker.video.giveBack(reader, file.path, file.info.identity)
        }
    }

    // MARK: One file

    /// Frames of a file of 25 a second, and the damage that was noted.
    private static func shown(
        _ file: MediaFile, _ frames: [Int], threads: Int, _ pool: ReaderPool<VideoReader>
    ) throws -> (contents: [UInt64], damage: DamageReport?) {
        ThreadPool.shared.width = threads
        defer { ThreadPool.shared.width = 1 }
        let notes = DamageNotes()
        let source = FileSource(file, from: pool, notes, pulse: { _ in }) { number in
            .before(Time(middleOfFrame: number, rate: Rational(25)), .forwards)
        }
        defer { source.close() }
        let contents = try frames.map { SliceLab.content(try #require(try source.frame($0)).picture) }
        return (contents, notes.take([]))
    }

    /// A decoder conceals by what it has decoded before, so what was decoded ahead of a jump must
    /// not matter.
    fileprivate static func compareDamaged(cases: Int, threads: [Int], _ name: String) throws {
        number.lock()
        defer { number.unlock() }
        let folder = try TemporaryFolder()
        let media = TestMedia(in: folder)
        let whole = try media.testPattern(
            "whole.mkv", size: (96, 64), rate: "25", seconds: 3, tone: nil, options: ["-g", "15", "-bf", "2"])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: whole)))
        let seed = Seed.announced(for: name, cases: cases)
        var damaged = 0
        // Continues until enough files were damaged and can still be read.
        for index in 0..<20 * cases where index < cases || damaged <= cases / 4 {
            var random = SplitMix64.forCase(index, of: seed)
            var spoilt = bytes
            for _ in 0..<3 {
                let start = Int.random(in: 600..<bytes.count - 40, using: &random)
                for place in start..<start + 30 { spoilt[place] = .random(in: 0...255, using: &random) }
            }
            let path = folder.file("\(index).mkv")
            try Data(spoilt).write(to: URL(fileURLWithPath: path))
            guard let info = try? Probe.probe(path: path), info.video != nil else { continue }
            var frames: [Int] = []
            for _ in 0..<4 {
                let start = Int.random(in: 0..<60, using: &random)
                frames += start..<start + Int.random(in: 1...14, using: &random)
            }
            let file = MediaFile(path: path, info: info)
            guard let expected = try? shown(file, frames, threads: 1, ReaderPool(idleLimit: 1)) else { continue }
            if expected.damage != nil { damaged += 1 }
            for count in threads {
                // The second use of a pool begins with the decoder of the first, where that is
                // allowed.
                let pool = ReaderPool<VideoReader>(idleLimit: 1)
                for _ in 0..<2 {
                    let found = try shown(file, frames, threads: count, pool)
                    let context = Comment("case \(index) of CUTROOM_SEED=\(seed): \(count) threads, frames \(frames)")
                    #expect(found.contents == expected.contents && found.damage == expected.damage, context)
                }
            }
        }
        #expect(damaged > cases / 4)
    }

    @Test func damagedFilesLookTheSameAndAreReportedAlike() throws {
        try Self.compareDamaged(cases: Seed.cases(15), threads: [2, 4], "damage with threads")
    }

    /// A draft that others see through is made over two backgrounds, by two graphs that share their
    /// sources.
    @Test func twoGraphsThatShareASourceGetTheSamePicture() throws {
        Self.number.lock()
        defer { Self.number.unlock() }
        ThreadPool.shared.width = 3
        defer { ThreadPool.shared.width = 1 }
        let lab = try SliceLab()
        let file = try #require(try lab.slice(of: ["sound.mp4"], seconds: 1).files.first)
        let asked = Mutex<[Int: Int]>([:])
        let source = FileSource(file, from: nil, DamageNotes(), pulse: { _ in }) { number in
            asked.withLock { $0[number, default: 0] += 1 }
            return .before(Time(middleOfFrame: number, rate: Rational(30)), .forwards)
        }
        defer { source.close() }
        for number in 0..<20 {
            let (first, second) = (try source.frame(number), try source.frame(number))
            #expect(first?.picture === second?.picture && first != nil)
        }
        // Frames that were decoded ahead are not discarded and decoded again.
        let times = asked.withLock { $0 }
        #expect(times.values.allSatisfy { $0 == 1 }, "\(times)")
    }

    @Suite(.waits) struct Sweep {
        @Test func damagedFiles() throws {
            try ThreadTests.compareDamaged(cases: Seed.cases(200), threads: [2, 3, 8], "ThreadTests.Sweep, damage")
        }

        @Test func randomDrafts() throws {
            try ThreadTests.compare(cases: Seed.cases(150), threads: Array(2...8), "ThreadTests.Sweep")
        }
    }
}
