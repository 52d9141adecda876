import Composition
import Draft
import Jobs
import Media
import PluginHosting
import Sound
import Values

extension TrialJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.tryOut(self) }
}

extension WorkerContext {
    /// Makes an instance, and lets a filter with state make a few frames or blocks: that it holds
    /// them back, or gives more than it got, shows only then.
    /// - Throws: where the plugin cannot be used at all.
    func tryOut(_ job: TrialJob) throws -> TrialJob.Reply {
        do {
            switch job.stage {
            case .picture(let stage):
                let run = try PluginRun(job.effect, job.plugin, stage, plugins)
                if try showsInFrames(job, .filter) { try tryFrames(run, job, stage) }
            case .sound(let stage):
                let (loaded, instance) = try instance(of: job.effect, in: job.plugin, for: stage)
                if try showsInFrames(job, .audioFilter) { try trySound(instance, loaded.descriptor, job, stage) }
            }
            return TrialJob.Reply(refusal: nil)
        } catch let error as PluginError where error.isRefusal {
            return TrialJob.Reply(refusal: error.reason)
        }
    }

    /// The effect may not take what it was given although it made an instance.
    private func showsInFrames(_ job: TrialJob, _ kind: EffectDescriptor.Kind) throws -> Bool {
        let descriptor = try plugins.effect(job.effect.effectID, in: job.plugin).descriptor
        return descriptor.kind == kind && job.plugin.state != .pure && !job.effect.parameters.isEmpty
    }

    /// However slow the effect is, a trial ends with the frame, or block, in which this is over.
    private static let trialTime = Duration.seconds(1)
    private static let trialFrames = 8

    private func tryFrames(_ run: PluginRun, _ job: TrialJob, _ stage: PictureStage) throws {
        let begin = ContinuousClock.now
        let reach = job.plugin.window ?? .none
        for frame in 0..<Self.trialFrames where ContinuousClock.now - begin < Self.trialTime {
            try pulse(advances: true)
            let time = Time(frame: frame, rate: stage.frameRate)
            let moment = Moment(
                frame: frame, time: time, timelineTime: time, timelineFrame: frame, outputFrame: frame,
                frameRate: stage.frameRate, range: Time(frame: Self.trialFrames, rate: stage.frameRate),
                follows: frame > 0)
            let picture = try Picture.pattern(stage, frame)
            try ignoringOtherErrors {
                _ = try run.process([Array(repeating: picture, count: reach.before + 1 + reach.after)], at: moment)
            }
        }
    }

    /// Half a second of noise, then silence.
    private func trySound(
        _ instance: EffectInstance, _ descriptor: EffectDescriptor, _ job: TrialJob, _ stage: SoundStage
    ) throws {
        let begin = ContinuousClock.now
        let reach = job.plugin.window ?? .none
        let count = SoundMix.filterGrid
        let sound = PluginSound(stage)
        let input = SoundBlock(channels: stage.channels, capacity: reach.before + count + reach.after)
        let output = SoundBlock(channels: stage.channels, capacity: count)
        let rate = Rational(Int64(stage.sampleRate))
        for block in 0..<stage.sampleRate / count where ContinuousClock.now - begin < Self.trialTime {
            try pulse(advances: true)
            let first = block * count
            for (channel, plane) in input.planes(from: 0).enumerated() {
                for index in 0..<reach.before + count + reach.after {
                    let sample = first - reach.before + index
                    plane[index] = (0..<stage.sampleRate / 2).contains(sample) ? Self.noise(sample + channel) : 0
                }
            }
            var lent = PluginFrame(
                sound, samples: input.samples, stride: input.stride, count: reach.before + count + reach.after)
            lent.index = first - reach.before
            lent.time = Time(frame: lent.index, rate: rate)
            var made = PluginFrame(sound, samples: output.samples, stride: output.stride, count: count)
            made.index = first
            made.time = Time(frame: first, rate: rate)
            made.duration = Time(frame: count, rate: rate)
            var call = FrameCall(
                inputs: Array(repeating: FrameWindow(lent), count: descriptor.inputCount), output: made)
            call.values = job.effect.values(at: made.time, descriptor)
            (call.time, call.timelineTime, call.index) = (made.time, made.time, first)
            call.duration = Time(frame: stage.sampleRate, rate: rate)
            call.outputPlace = .time(made.time)
            call.isDiscontinuity = block == 0
            try ignoringOtherErrors { _ = try instance.process(call) }
        }
    }

    /// A quarter of full scale, the same for each number.
    private static func noise(_ number: Int) -> Float {
        let mixed = UInt32(truncatingIfNeeded: number) &* 2_654_435_761
        return (Float((mixed ^ mixed >> 15) & 0xffff) / 32_768 - 1) / 4
    }

    /// What else goes wrong with a pattern may go well with a picture.
    private func ignoringOtherErrors(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as PluginError where error.code != .invalidParameter && error.code != .cancelled {
        }
    }
}

extension PluginError {
    /// The plugin does not take what it was given: not as it was made, or not in a frame of the
    /// trial.
    fileprivate var isRefusal: Bool {
        operation == "create" ? ![.cancelled, .retry].contains(code) : code == .invalidParameter
    }
}

extension Picture {
    /// A slope that moves on with the number, in the canvas' format.
    fileprivate static func pattern(_ stage: PictureStage, _ number: Int) throws(MediaError) -> Picture {
        let picture = try Picture(
            width: stage.size.width, height: stage.size.height, format: stage.color.isHDR ? .yuv420p10 : .yuv420p)
        let isWide = picture.format == .yuv420p10
        for index in 0..<picture.planeCount {
            let (width, height) = picture.size(ofPlane: index)
            for y in 0..<height {
                let row = UnsafeMutableRawPointer(picture.plane(index) + y * picture.stride(index))
                for x in 0..<width {
                    let value = 32 + (x + 2 * y + 16 * number) % 192
                    if isWide {
                        row.storeBytes(of: UInt16(4 * value), toByteOffset: 2 * x, as: UInt16.self)
                    } else {
                        row.storeBytes(of: UInt8(value), toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }
        return picture
    }
}
