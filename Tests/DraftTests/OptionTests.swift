import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Options do what their declarations say.
@Suite struct OptionTests {
    /// A value of a form that no object has by itself.
    private func sample(_ form: OptionForm) -> Value? {
        switch form {
        case .text, .path: "/x"
        case .flag: .bool(true)
        case .color: "#01020304"
        case .number(let range): .number(range.map { min(max(0.25, $0.lowerBound), $0.upperBound) } ?? 0.25)
        case .whole(let range): .number(Double(range.map { min(max(3, $0.lowerBound), $0.upperBound) } ?? 3))
        case .fraction: 2
        case .seconds: "3/2s"
        case .timeRange: .array(["1s", "2s"])
        case .length: 12
        case .choice(let names): names.last.map(Value.string)
        case .list(let item, let count):
            sample(item).map { .array(Array(repeating: $0, count: count?.upperBound ?? 1)) }
        case .animated(let form): sample(form).map { .array([.array(["0s", $0]), .array(["1s", $0, "ease_in"])]) }
        case .either(let forms): forms.last.flatMap(sample)
        case .reference("entrance"): .object(["kind": "pop", "duration": "1/4s"])
        case .reference("pair"): 7
        case .reference("mask"): .object(["image": "/matte.png", "kind": "luma"])
        case .reference("coordinate"): 12
        case .reference("title_position"): .array([12, "25%"])
        case .reference("transition"): .array(["fade", "1/4s"])
        case .reference("effect"): .object(["kind": "lut", "image": "/look.png"])
        case .reference: nil
        }
    }

    /// Reads each option by itself into a plain object, which is another one then, and writes it as
    /// it was read.
    /// - Parameters:
    ///   - use: of which objects.
    ///   - aside: options that cannot stand alone, with what stands for them or beside them.
    private func check<Object: Equatable>(
        _ table: OptionTable<Object>, as use: ObjectUse = .all, aside: [String: [String: Value]] = [:],
        _ read: (Value) throws -> Object, _ write: (Object) -> Value, plain: [String: Value] = [:]
    ) throws {
        let base = try read(.object(plain))
        for option in table.options where !option.uses.isDisjoint(with: use) {
            var fields = plain
            if let own = aside[option.name] {
                fields.merge(own) { $1 }
            } else {
                let value: Value = try #require(sample(option.form), "\(option.name)")
                fields[option.name] = value
            }
            let object = try read(.object(fields))
            #expect(object != base, "\(Object.self) \(option.name)")
            let written = write(object)
            #expect(try read(written) == object, "\(Object.self) \(option.name)")
            if aside[option.name] == nil {
                #expect(written.fields[option.name] == fields[option.name], "\(Object.self) \(option.name)")
            }
        }
    }

    @Test func `each option changes its object and is written as it was read`() throws {
        let crop: Value = .array([0.25, 0.25, 0.25, 0.25])
        try check(
            Clip.options, as: .media,
            aside: [
                "duration": ["duration": 3, "range": .array([0, 1])], "margin": ["position": "top_left", "margin": 3],
                "rotate": ["rotate": 90], "crop": ["crop": crop], "size": ["size": .array([100, 50])],
                "position": ["position": .array([3, 4])],
            ],
            {
                try Clip(
                    path: "/m/a.mp4", isImage: false, reading: $0, object: "clip", folder: nil,
                    mediaDuration: Time(seconds: 10))
            }, { $0.value() })
        try check(
            Clip.options, as: .image,
            aside: [
                "duration": ["duration": 3], "margin": ["position": "top_left", "margin": 3], "rotate": ["rotate": 90],
                "crop": ["crop": crop], "size": ["size": .array([100, 50])], "position": ["position": .array([3, 4])],
            ], { try Clip(path: "/m/a.png", isImage: true, reading: $0, object: "clip", folder: nil) },
            { $0.value() }, plain: ["duration": "1s"])
        try check(
            AudioClip.options, { try AudioClip(path: "/m/a.m4a", reading: $0, object: "audio", folder: nil) },
            { $0.value() }, aside: ["keep_pitch": ["keep_pitch": false]])
        try check(
            Layer.options, aside: ["shadow_offset": ["shadow_offset": .array([1, 2])]],
            {
                var fields = try FieldReader($0, object: "layer")
                return try Layer(Clip(path: "/m/a.mp4"), reading: &fields)
            },
            {
                var writer = FieldWriter()
                Layer.options.write($0, to: &writer)
                return writer.value
            })
        try check(
            Title.options,
            aside: [
                "text": ["text": "other"],
                "gradient_angle": ["gradient": .array(["#000", "#fff"]), "gradient_angle": 3],
                "fit": ["fit": true], "words": ["words": .array([.array(["0s", "1s"])])],
            ],
            {
                var fields = try FieldReader($0, object: "title")
                return try Title(reading: &fields)
            },
            {
                var writer = FieldWriter()
                Title.options.write($0, to: &writer)
                return writer.value
            }, plain: ["text": "one"])
    }

    private func check<Object: Equatable>(
        _ table: OptionTable<Object>, _ read: (Value) throws -> Object, _ write: (Object) -> Value,
        aside: [String: [String: Value]]
    ) throws { try check(table, as: .all, aside: aside, read, write) }

    @Test func `an image and a colour refuse what only media have`() {
        func advice(_ name: String) -> String {
            name == "range" ? "; its ‘duration’ is how long it is shown, in seconds" : ""
        }
        for name in Clip.mediaOptionNames {
            #expect(throws: Problem("clip", "an image has no ‘\(name)’\(advice(name))")) {
                try Clip(
                    path: "/a.png", isImage: true, reading: .object(["duration": 1, name: 1]), object: "clip",
                    folder: nil)
            }
        }
        for name in Clip.mediaOptionNames + ["mode"] {
            #expect(throws: Problem("layer", "a colour has no ‘\(name)’\(advice(name))")) {
                try Clip(color: .white, reading: .object([name: 1]), object: "layer", folder: nil)
            }
        }
    }

    @Test func `what other tools call an option is no option's name`() {
        for (table, names) in [
            (OtherNames.clip, Clip.optionNames), (.audio, AudioClip.optionNames),
            (.layer, Layer.optionNames + Layer.clipOptionNames),
        ] {
            for name in names { #expect(table.advice(for: name, in: names) == nil, "\(name)") }
        }
        #expect(OtherNames.audio.advice(for: "gain", in: AudioClip.optionNames) == "; did you mean ‘volume’?")
        #expect(OtherNames.layer.advice(for: "rate", in: Clip.optionNames) == "; did you mean ‘speed’?")
    }

    @Test func `a value that changes with time is found by its option`() {
        var clip = Clip(path: "/m/a.mp4")
        clip.placement = Placement()
        var names: [String] = []
        Clip.options.changeValues(of: &clip) { name, _ in names.append(name) }
        #expect(names.contains("volume") && names.contains("crop") && names.contains("corner_radius"))
    }
}
