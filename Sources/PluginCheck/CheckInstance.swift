import Draft
import Glibc
import PluginABI
import Synchronization
import PluginHosting

/// An instance of the effect under test, called by the interface alone, with everything that a host
/// lends to it.
final class CheckInstance {
    enum Attempt {
        case made(CheckInstance)
        case refused(Int32, String?)
    }

    let subject: CheckSubject
    let setting: CheckSetting
    let values: CheckValues
    private let handle: UnsafeMutableRawPointer?
    /// The frame processed last; re-entrant effects are called from several threads.
    private let last = Mutex<Int?>(nil)
    /// Frames whose memory may not be touched any more.
    private var revoked: [CheckFrame] = []
    /// The same of structures.
    private var revokedStructures: [LentStructures] = []
    private var isDestroyed = false

    private init(
        _ subject: CheckSubject, _ setting: CheckSetting, _ values: CheckValues, _ handle: UnsafeMutableRawPointer?
    ) {
        (self.subject, self.setting, self.values, self.handle) = (subject, setting, values, handle)
    }

    deinit { destroy() }

    static func make(
        _ subject: CheckSubject, _ setting: CheckSetting, _ values: CheckValues, structures: LentStructures.Size,
        host: UnsafePointer<cutroom_host>, revokes: Bool = false
    ) -> Attempt {
        let lent = LentStructures(structures, isRevocable: revokes)
        let context = CheckHost.Context()
        let storage = PluginValueStorage(count: values.values.count)
        storage.store(zip(subject.isSetupOnly, zip(values.values, subject.binding.defaults)).map { $0 ? $1.0 : $1.1 })
        var setup = setting.setup
        setup.value_count = UInt32(values.values.count)
        setup.values = lent.lend(array: Array(UnsafeBufferPointer(start: storage.values, count: values.values.count)))
        setup.handle = context.handle
        var handle: UnsafeMutableRawPointer?
        let status = withExtendedLifetime((context, storage, lent)) {
            subject.host.call("create") {
                subject.effect.table.create(
                    subject.effect.original, host, lent.lend(setup, lastField: MemoryLayout<UInt>.size), &handle)
            }
        }
        let message = context.message.withLock { $0 }
        guard status == CUTROOM_OK else { return .refused(status, message) }
        let instance = CheckInstance(subject, setting, values, handle)
        if revokes {
            lent.revoke()
            instance.revokedStructures.append(lent)
        }
        return .made(instance)
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        subject.host.call("destroy") { subject.effect.table.destroy(handle) }
        if let harm = subject.host.takeHarm() { subject.report.find(harm.what, advice: harm.advice) }
    }

    func reset() -> Int32 {
        last.withLock { $0 = nil }
        return subject.host.call("reset") { subject.effect.table.reset?(handle) ?? CUTROOM_OK }
    }

    /// Makes a frame that must succeed, or be refused for its values with a sentence.
    /// - Throws: after reporting a failure.
    func frame(_ shot: CheckShot) throws -> CheckResult {
        let result = try process(shot)
        if let refusal = result.refusal {
            throw subject.report.stop(
                refusal, advice: "give cutroom_host.emit what the guide allows, or leave the name out")
        }
        if result.wroteBeforePass {
            throw subject.report.stop(
                "process writes the output and returns CUTROOM_PASS",
                advice:
                    "decide before the first write, or return CUTROOM_OK: a host that works in place keeps what was written"
            )
        }
        if let place = infinitePlace(result, shot) {
            throw subject.report.stop(
                "it makes \(place) of finite sound, which ends a render",
                advice: "make a finite number of every finite input, with every value in the declared ranges")
        }
        if result.status >= CUTROOM_OK && result.status <= CUTROOM_PASS { return result }
        if result.status == CUTROOM_ERROR_PARAM, result.message != nil { return result }
        throw subject.report.stop(
            "process failed with status \(result.status)\(subject.said(result.message, result.status))",
            advice: "make a frame from every value in the declared ranges, or say why not with cutroom_host.error and "
                + "CUTROOM_ERROR_PARAM")
    }

    /// The place at which sound made of finite sound is infinite or not a number; nil where it is
    /// not.
    private func infinitePlace(_ result: CheckResult, _ shot: CheckShot) -> String? {
        guard subject.kind == .audioFilter, !(shot.contents ?? subject.contents).isStrange else { return nil }
        let count = shot.samples ?? setting.width
        return result.samples.withUnsafeBytes { bytes in
            for index in 0..<bytes.count / 4 {
                let sample = bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self)
                if !sample.isFinite { return "\(sample) in channel \(index / count), sample \(index % count)," }
            }
            return nil
        }
    }

    /// Calls process, whatever it returns.
    func process(_ shot: CheckShot) throws -> CheckResult {
        let values = shot.values ?? self.values
        if !shot.isQuiet {
            subject.report.at(
                "\(setting.forPeople), \(values.forPeople(subject.binding)), \(setting.isSound ? "block" : "frame") \(shot.number)"
                    + shot.placeForPeople + shot.structures.forPeople)
        }
        let frames = try CheckFrames(shot, setting, subject)
        let context = CheckHost.Context(takesNumbers: subject.kind == .analyser)
        let storage = PluginValueStorage(count: values.values.count)
        storage.store(values.values)
        let lent = LentStructures(shot.structures, isRevocable: shot.isRevoked)
        var call = frames.call(shot, lent)
        let previous = last.withLock { last in
            defer { last = shot.number }
            return last
        }
        call.flags = previous == shot.number - 1 ? 0 : CUTROOM_CALL_DISCONTINUITY
        call.value_count = UInt32(values.values.count)
        call.values = lent.lend(array: Array(UnsafeBufferPointer(start: storage.values, count: values.values.count)))
        call.handle = context.handle
        if shot.protectsInputs { frames.protectInputs() }
        var status = CUTROOM_OK
        var strayRow: Int?
        var sliced: [UInt8]?
        for rows in shot.slices ?? [0..<Int(call.row_end)] {
            (call.row_begin, call.row_end) = (Int32(rows.lowerBound), Int32(rows.upperBound))
            if shot.slices != nil { frames.output?.clear() }
            // Without the handle, which is the last field, an analyser can give no numbers.
            let last = subject.kind == .analyser ? nil : MemoryLayout<UInt>.size
            status = subject.host.call("process") {
                subject.effect.table.process(handle, lent.lend(call, lastField: last))
            }
            if status < 0 { break }
            if shot.slices != nil {
                frames.collect(rows, passed: status == CUTROOM_PASS, into: &sliced, stray: &strayRow)
            }
        }
        withExtendedLifetime((context, storage, lent)) {}
        var result = CheckResult(status: status, samples: [], message: context.message.withLock { $0 })
        result.brokenCanary = frames.output?.brokenCanary
        result.strayRow = strayRow
        result.refusal = context.emission.withLock { $0?.refusal }
        if status >= 0 {
            result.samples =
                sliced
                ?? (subject.kind == .analyser ? context.serialized : frames.samples(passed: status == CUTROOM_PASS))
        }
        if status == CUTROOM_PASS, !shot.isInPlace, subject.inputCount > 0 {
            result.wroteBeforePass = frames.output?.isClear == false
        }
        if status == CUTROOM_PASS, subject.inputCount == 0 {
            throw subject.report.stop(
                "a source returned CUTROOM_PASS, but it has no input", advice: "write the output and return CUTROOM_OK")
        }
        if shot.isRevoked {
            frames.protectAll(PROT_NONE)
            revoked += frames.all
            lent.revoke()
            revokedStructures.append(lent)
        }
        return result
    }
}

/// A call with everything that is lent for it, which may be made again and again.
final class PreparedCall {
    let shot: CheckShot
    let expected: CheckResult
    private let frames: CheckFrames
    private let lent = LentStructures(.usual)
    private let storage: PluginValueStorage
    private let context = CheckHost.Context()
    private let pointer: UnsafePointer<cutroom_call>
    private let process: (UnsafePointer<cutroom_call>) -> cutroom_status

    fileprivate init(
        _ shot: CheckShot, _ values: CheckValues, _ frames: CheckFrames, expecting expected: CheckResult,
        _ process: @escaping (UnsafePointer<cutroom_call>) -> cutroom_status
    ) {
        (self.shot, self.expected, self.frames, self.process) = (shot, expected, frames, process)
        storage = PluginValueStorage(count: values.values.count)
        storage.store(values.values)
        var call = frames.call(shot, lent)
        call.flags = CUTROOM_CALL_DISCONTINUITY
        call.value_count = UInt32(values.values.count)
        call.values = UnsafePointer(storage.values)
        call.handle = context.handle
        pointer = lent.lend(call, lastField: nil)
    }

    /// - Returns: what was made where it is not what was expected.
    func run() -> CheckResult? {
        frames.output?.clear()
        let status = process(pointer)
        var result = CheckResult(status: status, samples: [])
        if status >= 0 { result.samples = frames.samples(passed: status == CUTROOM_PASS) }
        return min(status, 0) == min(expected.status, 0) && result.samples == expected.samples ? nil : result
    }
}

extension CheckInstance {
    /// Makes what a call is lent, and does not call.
    func prepare(_ shot: CheckShot, expecting expected: CheckResult) throws -> PreparedCall {
        PreparedCall(shot, shot.values ?? values, try CheckFrames(shot, setting, subject), expecting: expected) {
            [self] call in subject.host.call("process") { subject.effect.table.process(handle, call) }
        }
    }
}

extension CheckSetting {
    var setup: cutroom_setup {
        var setup = cutroom_setup()
        setup.struct_size = UInt32(MemoryLayout<cutroom_setup>.size)
        setup.format = format.rawValue
        setup.pixel_aspect = cutroom_rational(num: 1, den: 1)
        setup.frame_rate = cutroom_rational(num: Int64(Self.frameRate), den: 1)
        setup.max_threads = UInt32(maximumThreads)
        if isSound {
            setup.sample_rate = UInt32(Self.sampleRate)
            setup.max_samples = UInt32(width)
            setup.channel_count = UInt32(height)
            setup.channel_mask = channelMask
        } else {
            (setup.width, setup.height) = (Int32(width), Int32(height))
            let color = PluginColor.canvas(format)
            (setup.primaries, setup.transfer, setup.matrix) = (color.primaries, color.transfer, color.matrix)
            setup.full_range = color.isFullRange ? 1 : 0
        }
        return setup
    }
}

extension CheckHost.Context {
    /// What was emitted, in order of key, as bytes.
    fileprivate var serialized: [UInt8] {
        emission.withLock { emission in
            (emission?.numbers ?? [:]).sorted { $0.key < $1.key }.flatMap { key, numbers in
                Array(key.utf8) + [0]
                    + numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern) { Array($0) } }
            }
        }
    }
}
