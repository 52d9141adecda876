import Foundation
import Media
import TestSupport
import Testing
import Values

@testable import Workers

/// What a worker keeps from job to job.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct WorkerContextTests {
    @Test func `frames on disk are freed while there is no job`() throws {
        let (lab, folder) = (try SliceLab(), try TemporaryFolder())
        let file = try lab.slice(of: ["sound.mp4"], seconds: 1).files[0]
        let readers = lab.worker.video
        let space = SpillSpace(limit: 1 << 20, margin: 0, isForDisks: false)
        func use(_ direction: VideoReader.Direction) throws {
            let reader = try readers.take(file.path, file.info.identity, near: .zero) {
                try VideoReader(path: file.path, info: file.info, windowBudget: 1)
            }
            (reader.spillFolder, reader.spillSpace) = (folder.path, space)
            _ = try reader.picture(before: Time(frame: 20, rate: Rational(30)), playing: direction)
            readers.giveBack(reader, file.path, file.info.identity)
        }
        try use(.backwards)
        #expect(space.used > 0)
        lab.worker.freeDiskSpace()
        #expect(space.used == 0)
        // A reader that has nothing on disk stays open.
        try use(.forwards)
        lab.worker.freeDiskSpace()
        var isNew = false
        _ = try readers.take(file.path, file.info.identity, near: .zero) {
            isNew = true
            return try VideoReader(path: file.path, info: file.info)
        }
        #expect(!isNew)
    }
}
