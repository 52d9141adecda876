import Composition
import Draft
import PluginABI

/// Tests of what an effect declares: that frames are what their inputs, values and times make them.
extension CheckSubject {
    func checkParameterHistory() throws {
        try requireDeterminism()
        let animated = binding.parameters.indices.filter {
            !isSetupOnly[$0] && binding.parameters[$0].kind.componentCount > 0
        }
        if animated.isEmpty { throw report.skip("the effect has no parameters that may change") }
        var random = CheckRandom(seed, 2)
        /// Setup-only parameters keep their values.
        func changed(_ values: CheckValues) -> CheckValues {
            CheckValues(
                name: values.name,
                values: binding.defaults.indices.map { isSetupOnly[$0] ? binding.defaults[$0] : values.values[$0] })
        }
        for setting in settings {
            for earlier in [CheckValues.minima(binding), .maxima(binding), .random(binding, using: &random)].map(
                changed)
            {
                // The same frames with both: what else an effect may remember is the same.
                guard state == .pure || effect.table.reset != nil else { continue }
                let (steady, moved) = (try need(setting), try need(setting))
                for number in 0..<3 {
                    _ = try steady.frame(CheckShot(number))
                    _ = try moved.frame(CheckShot(number, earlier))
                }
                if state != .pure { for instance in [steady, moved] { try reset(instance) } }
                let next = state == .pure ? 3 : 0
                expectEqual(
                    try steady.frame(CheckShot(next)), try moved.frame(CheckShot(next)), setting,
                    "the frame depends on the values of earlier frames (\(earlier.forPeople(binding)))",
                    advice:
                        "use the values of the call alone; where that needs a table, make it anew when the values differ"
                )
            }
        }
    }

    func checkRepetition() throws {
        try requireDeterminism()
        var random = CheckRandom(seed, 4)
        // Extreme values, and what is refused, are for the test of parameters.
        let all = [defaults] + (binding.parameters.isEmpty ? [] : [.random(binding, using: &random)])
        for setting in settings {
            for values in all {
                guard let one = try make(setting, values), let other = try make(setting, values) else { continue }
                for number in 0..<5 {
                    expectEqual(
                        try one.process(CheckShot(number)), try other.process(CheckShot(number)), setting,
                        "the same frame is another one in a second instance",
                        advice:
                            "keep nothing in static variables, take randomness from call->seed, and do not ask for the time of "
                            + "day; or declare CUTROOM_DETERMINISM_NONE, and nothing is cached"
                    )
                }
            }
        }
    }

    /// The host compares the digests of two processes.
    func checkProcesses() throws {
        try requireDeterminism()
        for setting in settings {
            for (number, result) in try run(0..<5, setting).enumerated() {
                report.write(.digest("\(setting.forPeople), frame \(number): \(result.digest)"))
            }
        }
    }

    func checkInstances() throws {
        try requireDeterminism()
        for setting in settings {
            // An effect may refuse the name of a file that is not there: then two with default
            // values.
            let other = try make(setting, .maxima(binding)) == nil ? defaults : .maxima(binding)
            let alone = [defaults, other].map { values in try? run(0..<4, setting, values) }
            guard let first = alone[0], let second = alone[1] else { continue }
            let (a, b) = (try need(setting), try need(setting, other))
            for number in 0..<4 {
                expectEqual(
                    first[number], try a.frame(CheckShot(number)), setting,
                    "the frame differs when another instance works in turns",
                    advice: "keep what is computed in the instance, not in static variables")
                expectEqual(
                    second[number], try b.frame(CheckShot(number)), setting,
                    "the frame differs when another instance works in turns",
                    advice: "keep what is computed in the instance, not in static variables")
            }
        }
    }

    func checkPurity() throws {
        try requirePure()
        var random = CheckRandom(seed, 3)
        // What an effect keeps may show with some values only: a delay that is 0 by default.
        var all = [defaults]
        if !binding.parameters.isEmpty {
            all += [.maxima(binding), .random(binding, using: &random), .random(binding, using: &random)]
        }
        for setting in settings {
            for values in all {
                guard let long = try make(setting, values), let alone = try make(setting, values) else { continue }
                for number in 0..<39 { _ = try long.frame(CheckShot(number)) }
                expectEqual(
                    try alone.frame(CheckShot(39)), try long.frame(CheckShot(39)), setting,
                    "frame 39 alone is not frame 39 after frames 0 to 38",
                    advice:
                        "make each frame from its call alone, or declare CUTROOM_STATE_WARM_UP or CUTROOM_STATE_SEQUENTIAL"
                )
            }
        }
    }

    func checkWarmUp() throws {
        if state != .warmUp { throw report.skip("the effect declares no warm-up") }
        try requireDeterminism()
        for setting in settings {
            // For sound it counts samples.
            let declared = effect.descriptor.warmUp
            let warmUp = setting.isSound ? (declared + setting.width - 1) / setting.width : declared
            let last = max(39, warmUp + 10)
            if last > 1000 { throw report.skip("a warm-up of \(declared) is too long for a check") }
            let after = try run(0...last, setting)
            expectEqual(
                try run(last - warmUp...last, setting)[warmUp], after[last], setting,
                "frame \(last) after the declared warm-up of \(declared) is not what it is after all frames before it",
                advice: "raise warm_up, or declare CUTROOM_STATE_SEQUENTIAL")
        }
    }

    func checkRowSlices() throws {
        guard can(CUTROOM_CAN_ROW_SLICES) else { throw report.skip("the effect does not declare row slices") }
        try requireDeterminism()
        for setting in effect.formats.flatMap(CheckSetting.few).flatMap(\.everyAlpha) where !setting.isSound {
            guard let whole = try make(setting)?.frame(CheckShot(1)) else { continue }
            let height = setting.height
            let middle = height / 2 & ~1
            let pairs = stride(from: 0, to: height, by: 2).map { $0..<min($0 + 2, height) }
            for slices in [[0..<middle, middle..<height], [middle..<height, 0..<middle], pairs.reversed()] {
                var shot = CheckShot(1)
                shot.slices = slices
                let made = try need(setting).frame(shot)
                if let row = made.strayRow {
                    report.find(
                        "process writes row \(row), which is not in the slice",
                        advice: "write the rows of plane 0 from row_begin to row_end only")
                }
                expectEqual(
                    whole, made, setting, "\(slices.count) slices are not the whole frame",
                    advice:
                        "write all rows from row_begin to row_end, as they are in the whole, or do not declare CUTROOM_CAN_ROW_SLICES"
                )
            }
        }
    }

    func checkInPlace() throws {
        guard can(CUTROOM_CAN_IN_PLACE) else { throw report.skip("the effect does not declare that it works in place") }
        guard inputCount > 0, kind != .analyser else {
            throw report.skip("there is no input and output to share memory")
        }
        if effect.table.reach_before > 0 || effect.table.reach_after > 0 {
            throw report.skip("it reads more than the current frame")
        }
        try requireDeterminism()
        for setting in everySetting {
            for values in [defaults, .maxima(binding)] {
                guard let apart = try make(setting, values), let together = try make(setting, values) else { continue }
                var shot = CheckShot(1)
                let expected = try apart.frame(shot)
                shot.isInPlace = true
                expectEqual(
                    expected, try together.frame(shot), setting,
                    "the frame differs when the output is the input's memory",
                    advice: "read what is needed before it is written, or do not declare CUTROOM_CAN_IN_PLACE")
            }
        }
    }

    private func reset(_ instance: CheckInstance) throws {
        report.at("reset, \(instance.setting.forPeople)")
        let status = instance.reset()
        if status != CUTROOM_OK {
            throw report.stop(
                "reset returned status \(status)", advice: "forget all frames so far and return CUTROOM_OK")
        }
    }

    func checkReset() throws {
        guard effect.table.reset != nil else { throw report.skip("the effect has no reset") }
        let compares = effect.table.determinism != CUTROOM_DETERMINISM_NONE
        for setting in settings {
            let instance = try need(setting)
            let first = try (0..<6).map { try instance.frame(CheckShot($0)) }
            try reset(instance)
            try reset(instance)
            for number in 0..<6 {
                let again = try instance.frame(CheckShot(number))
                guard compares else { continue }
                expectEqual(
                    first[number], again, setting, "frame \(number) after a reset is not that of a new instance",
                    advice: "forget in reset everything that process keeps")
            }
        }
    }
}
