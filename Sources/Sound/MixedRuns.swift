import Jobs
import Media

/// The mixed sound of a job from a sample on: its runs, and silence between and after them.
package final class MixedRuns: SoundStream {
    private var waiting: ArraySlice<SoundJob.Run>
    private var playing: (end: Int, reader: MixReader)?
    private let channels: Int
    private let hasPeaks: Bool
    private var position: Int

    package init(_ job: SoundJob, from first: Int = 0) {
        waiting = job.runs.drop { $0.firstSample + $0.sampleCount <= first }
        channels = job.encoding.channels
        hasPeaks = job.loudness != nil
        position = first
    }

    package func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        var done = 0
        while done < count {
            let targets = planes.map { $0 + done }
            if playing == nil, let next = waiting.first, next.firstSample <= position {
                waiting.removeFirst()
                let reader = try MixReader(
                    path: next.part.path, channels: channels, count: next.sampleCount, hasPeaks: hasPeaks)
                try reader.move(to: position - next.firstSample)
                playing = (next.firstSample + next.sampleCount, reader)
            }
            let end = playing?.end ?? waiting.first?.firstSample ?? .max
            let part = min(count - done, end - position)
            if let playing {
                try playing.reader.read(count: part, into: targets)
            } else {
                for target in targets { target.update(repeating: 0, count: part) }
            }
            position += part
            done += part
            if playing?.end == position { playing = nil }
        }
    }

    package func close() { playing = nil }
}
