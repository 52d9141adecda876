import Composition
import Draft
import PluginHosting

/// A stream with an audio filter in its way: what lies outside the filter's stretches goes past it.
final class FilterStream: SoundStream {
    private let input: any SoundStream
    /// What keys the filter; nil where nothing does.
    private let key: ((_ first: Int) -> any SoundStream)?
    private let start: (AudioFilterUse.Stretch, Range<Int>) throws -> AudioFilterRun
    private let reach: FrameReach
    private let channels: Int
    private let output: SoundBlock
    /// The stretches that have not begun.
    private var waiting: ArraySlice<(stretch: AudioFilterUse.Stretch, samples: Range<Int>)>
    private var running: Running?
    /// The number of the next sample to hand out.
    private var position: Int
    /// What was made and not handed out yet.
    private var ready: (block: SoundBlock, offset: Int, count: Int)?

    private struct Running {
        var run: AudioFilterRun
        /// What it sees of its inputs, and where that comes from.
        var inputs: [(window: SoundWindow, stream: any SoundStream)]
    }

    /// - Parameters:
    ///   - first: the number of the input's next sample.
    ///   - key: what the filter is keyed by where it is, from a sample on; nil where the stream is
    ///     a part of that.
    init(
        _ input: any SoundStream, _ use: AudioFilterUse, from first: Int,
        key: ((_ first: Int) -> any SoundStream)? = nil,
        _ mix: SoundMix, _ supplies: any SoundSupplies
    ) {
        self.input = input
        self.key = mix.processing.filters[use.filter].plugin.isKeyed == true ? key : nil
        let filter = mix.processing.filters[use.filter]
        let stage = mix.stage
        start = { stretch, samples in
            try AudioFilterRun(
                filter, stretch, length: use.length, samples: samples, of: mix, stage, supplies)
        }
        reach = filter.plugin.window ?? .none
        channels = stage.channels
        output = SoundBlock(channels: stage.channels, capacity: SoundMix.filterGrid)
        position = first
        waiting =
            use.stretches.map { stretch in
                (stretch, stretch.range.samples(rate: stage.sampleRate).clamped(to: first..<Int.max))
            }.filter { !$0.1.isEmpty }[...]
    }

    func close() { input.close() }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        var done = 0
        while done < count {
            let targets = planes.map { $0 + done }
            let part: Int
            if let made = ready {
                part = min(count - done, made.count)
                for (target, plane) in zip(targets, made.block.planes(from: made.offset)) {
                    target.update(from: plane, count: part)
                }
                ready = made.count == part ? nil : (made.block, made.offset + part, made.count - part)
            } else if try makeBlock() {
                continue
            } else {
                part = min(count - done, (waiting.first?.samples.lowerBound ?? .max) - position)
                try input.read(count: part, into: targets)
                position += part
            }
            done += part
        }
    }

    /// Makes what comes next where a stretch is.
    /// - Returns: false where none is.
    private func makeBlock() throws -> Bool {
        if running == nil, let next = waiting.first, next.samples.lowerBound <= position {
            waiting.removeFirst()
            let streams = [input] + (key.map { [$0(next.samples.lowerBound)] } ?? [])
            running = Running(
                run: try start(next.stretch, next.samples),
                inputs: streams.map { stream in
                    let window = SoundWindow(
                        next.samples, before: reach.before, after: reach.after, most: SoundMix.filterGrid,
                        channels: channels)
                    return (window, stream)
                })
        }
        guard let running else { return false }
        let run = running.run
        let grid = (position / SoundMix.filterGrid + 1) * SoundMix.filterGrid
        let range = position..<min(grid, run.samples.upperBound)
        let seen = try running.inputs.map { try $0.window.move(to: range, from: $0.stream) }
        let lent = seen.map {
            PluginFrame(
                run.sound, samples: $0.block.samples + $0.offset, stride: $0.block.stride,
                count: range.count + reach.before + reach.after)
        }
        let target = PluginFrame(run.sound, samples: output.samples, stride: output.stride, count: range.count)
        let isOutput = try run.process(range, from: lent, to: run.worksInPlace ? lent[0] : target)
        let made = isOutput && !run.worksInPlace ? (output, 0) : (seen[0].block, seen[0].offset + reach.before)
        guard made.0.isFinite(from: made.1, count: range.count) else { throw run.notANumber(at: range.lowerBound) }
        ready = (made.0, made.1, range.count)
        position = range.upperBound
        if position == run.samples.upperBound { self.running = nil }
        return true
    }
}
