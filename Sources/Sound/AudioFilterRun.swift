import Composition
import Draft
import PluginHosting
import Values

/// A plugin's audio filter at work in one stretch of sound: an instance of its own, unless the
/// filter shares them.
final class AudioFilterRun {
    let samples: Range<Int>
    let sound: PluginSound
    let worksInPlace: Bool
    private let filter: PluginEffect
    private let seedName: String?
    private let loaded: LoadedEffect
    private let instance: EffectInstance
    private let clock: TimeMap
    private let length: Time
    /// The output time of the mix's time zero.
    private let place: Time
    /// The sample and the time that a filter is told for the mix's time zero: the output's, where
    /// the filter may depend on it; else zero, so that a run is the same wherever it stands.
    private let shown: (sample: Int, time: Time)
    private var isFirst = true

    /// - Throws: where the plugin cannot be used, or refuses its parameters.
    init(
        _ filter: AudioFilter, _ stretch: AudioFilterUse.Stretch, length: Time, samples: Range<Int>,
        of mix: SoundMix, _ stage: SoundStage, _ supplies: any SoundSupplies
    ) throws {
        self.samples = samples
        self.filter = filter.filter
        seedName = filter.seedName
        (self.length, place) = (length, mix.placeTime)
        shown = filter.plugin.isPlaced == true ? (mix.place, mix.placeTime) : (0, .zero)
        clock = TimeMap(stretch.clock)
        sound = PluginSound(stage)
        (loaded, instance) = try supplies.instance(of: filter.filter, in: filter.plugin, for: stage)
        worksInPlace = loaded.effect.worksInPlace && filter.plugin.window == nil
    }

    /// Makes the output's samples `range`.
    /// - Parameters:
    ///   - inputs: what is there before the filter, with what it sees around the range; then its
    ///     key, as long, where it has one.
    ///   - output: as long as the range; the first input's memory where the filter works in place.
    /// - Returns: false where the result is the first input.
    func process(_ range: Range<Int>, from inputs: [PluginFrame], to output: PluginFrame) throws -> Bool {
        let rate = Rational(Int64(sound.rate))
        let start = Time(frame: range.lowerBound, rate: rate)
        let first = range.lowerBound - loaded.descriptor.reachBefore
        var call = FrameCall(
            inputs: inputs.map { FrameWindow(stamped($0, first: first, count: $0.sampleCount, rate)) },
            output: stamped(output, first: range.lowerBound, count: range.count, rate))
        call.time = max(.zero, clock.content(at: start))
        call.values = filter.values(at: call.time, loaded.descriptor)
        call.timelineTime = shown.time + start
        call.duration = length
        // Half a sample, which is where a range may begin, rounds down: the first sample's number
        // is 0.
        call.index = max(0, (call.time - Time(flicks: 1)).rounded(rate: rate))
        call.outputPlace = .time(place + start)
        call.seed = filter.seed(call.index, name: seedName)
        call.isDiscontinuity = isFirst
        isFirst = false
        return try instance.process(call) == .output
    }

    /// The filter's output is not valid sound.
    func notANumber(at sample: Int) -> PluginError {
        loaded.error(
            .failed, "process", at: .time(place + Time(frame: sample, rate: Rational(Int64(sound.rate)))),
            reason: "it made samples that are infinite or not a number; leave it out, or choose other values")
    }

    private func stamped(_ frame: PluginFrame, first: Int, count: Int, _ rate: Rational) -> PluginFrame {
        var frame = frame
        frame.index = shown.sample + first
        frame.time = shown.time + Time(frame: first, rate: rate)
        frame.duration = Time(frame: count, rate: rate)
        return frame
    }
}
