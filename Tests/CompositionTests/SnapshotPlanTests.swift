import Composition
import Draft
import TestSupport
import Testing
import Values

@Suite struct SnapshotPlanTests {
    private func plan(_ draft: Draft, whole: Bool = false) throws -> SnapshotPlan {
        try SnapshotPlan(draft, catalog: RandomDraft.catalog, whole: whole)
    }

    @Test func theyLieInTheMiddleOfEqualParts() throws {
        let plan = try plan(Draft([.photo(4)]))
        #expect(plan.evenlySpaced(4) == [15, 45, 75, 105])
        #expect(plan.evenlySpaced(1) == [60])
        for count in 1...300 {
            let frames = plan.evenlySpaced(count)
            #expect(frames.count == count && frames == frames.sorted() && frames.allSatisfy((0..<120).contains))
            if count <= 120 { #expect(Set(frames).count == count) }
        }
    }

    @Test func timesAreFinalTimes() throws {
        var draft = Draft([.photo(4)])
        draft.timeRange = range(1, 2)
        let part = try plan(draft)
        #expect(part.start == seconds(1) && part.composition.frameCount == 60 && part.time(of: 15) == seconds(1.5))
        #expect(part.frame(at: seconds(0.99)) == nil && part.frame(at: seconds(1)) == 0)
        #expect(part.frame(at: seconds(2.999)) == 59 && part.frame(at: seconds(3)) == nil)
        let whole = try plan(draft, whole: true)
        #expect(whole.start == .zero && whole.composition.frameCount == 120 && whole.frame(at: seconds(3)) == 90)
        #expect(whole.frame(at: -seconds(1)) == nil)
    }

    /// A snapshot makes the frames that a render makes before it in one run, and no others.
    @Test func stateIsBuiltUpFromTheSegmentsStart() throws {
        let plan = try plan(
            Draft([.photo(10)], effects: [.plugin("org.test.sequential", range(3, 3)), .plugin("org.test.pure")]))
        func frames(_ frame: Int) -> [Int] {
            let job = plan.job(frame, format: .png, output: "x")
            return [job.firstFrame, job.slice.frameCount]
        }
        #expect(frames(20) == [20, 1] && frames(80) == [80, 1])
        #expect(frames(100) == [90, 11] && frames(179) == [90, 90])
        #expect(frames(180) == [180, 1])
    }
}
