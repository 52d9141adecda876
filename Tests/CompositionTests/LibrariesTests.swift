import Composition
import Draft
import Jobs
import TestSupport
import Testing

/// The plugin libraries that a job opens are those that its key tells apart.
@Suite struct LibrariesTests {
    /// Each effect in a library of its own.
    private static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        for index in catalog.effects.indices {
            catalog.effects[index].path = "/\(catalog.effects[index].id).so"
            catalog.effects[index].digest = catalog.effects[index].id
        }
        return catalog
    }()

    private func library(_ id: String) -> String { "/\(id).so" }

    @Test func eachJobNamesWhatItOpensAndNothingElse() throws {
        let (pure, around, echo, made) = ("org.test.pure", "org.test.around", "org.test.echo", "org.test.made")
        let draft = Draft(
            [.sound(0, 4), .made(4, by: made)],
            effects: [.plugin(pure, range(0, 2)), .plugin(around, range(1, 1)), .sound(echo, range(0, 1))])
        let plan = try plan(draft, Self.catalog)
        var seen: [Range<Int>: Set<String>] = [:]
        for segment in plan.segments {
            let job = try #require(plan.segmentJob(segment.index, output: ""))
            seen[segment.firstFrame..<segment.firstFrame + segment.frameCount] = Job(job).libraries
        }
        for (frames, libraries) in seen {
            #expect(libraries.contains(library(pure)) == (frames.lowerBound < 60), "\(frames): \(libraries)")
            #expect(libraries.contains(library(made)) == (frames.upperBound > 120), "\(frames): \(libraries)")
            #expect(!libraries.contains(library(echo)), "\(frames): \(libraries)")
        }
        #expect(seen.values.contains { $0 == [library(pure), library(around)] } && seen.values.contains { $0.isEmpty })
        let sound = try #require(plan.mixJob(0, output: ""))
        #expect(Job(sound).libraries == [library(echo)])
        let without = try #require(Job(sound).leavingOut(echo, of: library(echo)))
        #expect(without.libraries.isEmpty)
        let segment = Job(try #require(plan.segmentJob(0, output: "")))
        #expect(segment.libraries.contains(library(pure)))
        #expect(segment.leavingOut("", of: library(pure))?.libraries.contains(library(pure)) == false)
        #expect(Job(InspectJob("/a.so")).libraries == ["/a.so"])
        #expect(Job(ProbeJob([])).libraries.isEmpty)
    }

    /// Whatever a library leaves in a worker's process, parts that are made there have another key
    /// with another build of it.
    @Test func aPartsKeyHasEveryLibraryThatItsJobOpens() throws {
        let seed = Seed.announced(for: "LibrariesTests", cases: 100)
        var opened = 0
        for round in 0..<100 {
            var generator = RandomDraft(.forCase(round, of: seed))
            let draft = generator.draft()
            guard let plan = try? plan(draft, Self.catalog) else { continue }
            for index in Self.catalog.effects.indices {
                var catalog = Self.catalog
                catalog.effects[index].digest += " anew"
                let (path, anew) = (catalog.effects[index].path, try CompositionTests.plan(draft, catalog))
                for (segment, other) in zip(plan.segments, anew.segments)
                where (segment.firstFrame, segment.frameCount) == (other.firstFrame, other.frameCount) {
                    let job = try #require(plan.segmentJob(segment.index, output: ""))
                    guard job.slice.libraries.contains(path) else { continue }
                    opened += 1
                    #expect(segment.key != other.key, "seed \(seed), round \(round): \(path), \(segment)")
                }
                for (run, other) in zip(plan.runs, anew.runs) {
                    let job = try #require(plan.mixJob(run.index, output: ""))
                    guard job.libraries.contains(path) else { continue }
                    opened += 1
                    #expect(run.key != other.key, "seed \(seed), round \(round): \(path), \(run)")
                }
                guard plan.soundMix?.libraries.contains(path) == true else { continue }
                #expect(plan.soundKey != anew.soundKey, "seed \(seed), round \(round): \(path), the sound")
            }
        }
        #expect(opened > 20)
    }
}
