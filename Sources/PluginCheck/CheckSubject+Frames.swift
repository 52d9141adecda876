import Composition
import Glibc
import PluginABI
import PluginHosting

/// Tests of what an effect does with frames.
extension CheckSubject {
    func checkBasics() throws {
        guard !settings.isEmpty else {
            throw report.stop(
                "the effect lists no format that this Cutroom knows", advice: "list RGBA8, RGBAF32 or PCMF32_PLANAR")
        }
        for setting in everySetting {
            let instance = try need(setting)
            for number in 0..<3 {
                let result = try instance.frame(CheckShot(number))
                if result.status < 0, effect.descriptor.parameters.allSatisfy({ $0.kind.componentCount > 0 }) {
                    report.find(
                        "default values are refused\(said(result.message, result.status))",
                        advice: "make a frame with the declared defaults")
                }
            }
            report.at("destroy, \(setting.forPeople)")
            instance.destroy()
        }
    }

    func checkStructures() throws {
        for setting in settings {
            let usual = try need(setting).frame(CheckShot(1))
            for size in [LentStructures.Size.longer, .shorter] {
                let word = size == .longer ? "longer" : "shorter"
                // A plugin may find that a host is too old for it.
                let table = CheckHost().makeTable(size)
                guard let instance = try make(setting, structures: size, host: table) else { continue }
                var shot = CheckShot(1)
                shot.structures = size
                let result = try instance.process(shot)
                if result.status == CUTROOM_ERROR_UNSUPPORTED { continue }
                guard effect.table.determinism != CUTROOM_DETERMINISM_NONE else { continue }
                expectEqual(
                    usual, result, setting, "the frame differs in a host whose structures are a field \(word)",
                    advice: "read structures by struct_size (cutroom_copy), and arrays by their stride")
            }
        }
    }

    func checkSizes() throws {
        for format in effect.formats {
            for (turn, setting) in CheckSetting.sizes(format).enumerated() {
                guard let instance = try make(setting.inTurn(turn)) else { continue }
                _ = try instance.frame(CheckShot(0))
                _ = try instance.frame(CheckShot(1))
            }
        }
    }

    func checkBounds() throws {
        for format in effect.formats {
            for setting in CheckSetting.sizes(format) {
                for (turn, layout) in [GuardedLayout.aligned, .atEnd, .atStart].enumerated() {
                    guard let instance = try make(setting.inTurn(turn)) else { continue }
                    expectWhole(try instance.frame(CheckShot(0, layout: layout)))
                }
            }
        }
    }

    func expectWhole(_ result: CheckResult) {
        guard let place = result.brokenCanary else { return }
        report.find(
            "process writes outside of the output: \(place)",
            advice:
                "write `width` samples of each row and `height` rows (chroma: (width + 1) / 2 and (height + 1) / 2), and go from row "
                + "to row by `stride`")
    }

    func checkInputs() throws {
        if inputCount == 0 { throw report.skip("a source has no input") }
        for setting in effect.formats.flatMap(CheckSetting.parities).flatMap(\.everyAlpha) {
            for values in [CheckValues.defaults(binding), .maxima(binding)] {
                guard let instance = try make(setting, values) else { continue }
                for number in 0..<3 {
                    var shot = CheckShot(number)
                    shot.protectsInputs = true
                    _ = try instance.frame(shot)
                }
            }
        }
    }

    func checkLayouts() throws {
        try requireDeterminism()
        for setting in everySetting {
            let expected = try need(setting).frame(CheckShot(1))
            for layout in [GuardedLayout.aligned, .atEnd, .atStart] {
                for fill: UInt8 in [0xa5, 0x3c] {
                    var shot = CheckShot(1, layout: layout)
                    shot.fill = fill
                    expectEqual(
                        expected, try need(setting).frame(shot), setting,
                        "the frame depends on strides, alignment or what lies between rows",
                        advice: "read `width` samples of each row, and go from row to row by `stride`")
                }
            }
        }
    }

    /// What the frames of ``checkFloats()`` hold, in their order.
    private static let strangeness: [CheckContents.Strangeness] = [
        .some, .some, .some, .every(.nan), .every(.infinity), .every(-.infinity), .some,
    ]

    func checkFloats() throws {
        let settings = everySetting.filter { $0.format == .rgbaFloat || $0.isSound }
        if settings.isEmpty { throw report.skip("the effect has no format with floats") }
        if inputCount == 0 { throw report.skip("a source has no input") }
        for setting in settings {
            for values in [CheckValues.defaults(binding), .minima(binding), .maxima(binding)] {
                guard let instance = try make(setting, values) else { continue }
                for (number, strangeness) in Self.strangeness.enumerated() {
                    var shot = CheckShot(number, layout: .atEnd)
                    shot.contents = CheckContents(seed: seed, strangeness: strangeness)
                    expectWhole(try instance.frame(shot))
                }
            }
        }
    }

    func checkMisuse() throws {
        for format in PluginFormat.allCases where !effect.formats.contains(format) {
            let setting = CheckSetting.usual(format)
            report.at("create, \(setting.forPeople), which is not listed")
            guard
                case .made(let instance) = CheckInstance.make(
                    self, setting, defaults, structures: .usual, host: hostTable)
            else { continue }
            let result = try instance.process(CheckShot(0, layout: .aligned))
            expectWhole(result)
            if result.status >= 0 {
                report.find(
                    "create and process accept the format \(format.name), which is not listed",
                    advice: "return CUTROOM_ERROR_FORMAT from create for a format that is not in cutroom_effect.formats"
                )
            }
        }
        for setting in settings where setting.isSound {
            var instance = try need(setting)
            for samples in [2 * setting.width, 100 * setting.width] {
                var shot = CheckShot(0, layout: .atEnd)
                shot.samples = samples
                let result = try instance.process(shot)
                expectWhole(result)
                if result.status <= CUTROOM_ERROR_FATAL { instance = try need(setting) }
                // Whatever else it said to that, it goes on.
                _ = try instance.frame(CheckShot(1))
            }
        }
    }

    func checkParameters() throws {
        let parameters = binding.parameters
        var all = [CheckValues.minima(binding), .maxima(binding)]
        for index in parameters.indices {
            all.append(.single(index, \.lowerBound, binding))
            all.append(.single(index, \.upperBound, binding))
        }
        var random = CheckRandom(seed, 1)
        for _ in 0..<16 { all.append(.random(binding, using: &random)) }
        if parameters.isEmpty { throw report.skip("the effect has no parameters") }
        for setting in everySetting where setting.alpha == .none {
            for (number, values) in all.enumerated() {
                guard let instance = try make(setting.inTurn(number), values) else { continue }
                expectWhole(try instance.frame(CheckShot(number % 3, layout: number % 2 == 0 ? .atEnd : .atStart)))
            }
        }
    }
}
