import Draft

/// Why a picture looks as it does, for programs.
struct ExplanationReport: Encodable {
    var frame: Int
    /// Seconds of the final timeline.
    var time: Double
    var clips: [Clip]
    var effects: [Effect]

    struct Clip: Encodable {
        var item: String
        var label: String
        var file: String?
        var sourceTime: Double?
        var speed: Double
        var script: String?
        var line: Int?
        var values: [String: Numbers]
    }

    struct Effect: Encodable {
        var item: String
        var name: String
        var time: Double
        var script: String?
        var line: Int?
        var values: [String: Numbers]
    }

    /// A number, or several.
    struct Numbers: Encodable {
        let numbers: [Double]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if numbers.count == 1 { try container.encode(numbers[0]) } else { try container.encode(numbers) }
        }
    }

    init(_ explanation: Explanation, frame: Int, rate: Rational) {
        self.frame = frame
        time = Time(frame: frame, rate: rate).seconds
        clips = explanation.clips.map { clip in
            Clip(
                item: clip.item, label: clip.label, file: clip.file, sourceTime: clip.sourceTime?.seconds,
                speed: clip.speed, script: clip.origin?.file, line: clip.origin?.line,
                values: clip.values.mapValues { Numbers(numbers: $0) })
        }
        effects = explanation.effects.map { effect in
            Effect(
                item: effect.item, name: effect.name, time: effect.time.seconds, script: effect.origin?.file,
                line: effect.origin?.line, values: effect.values.mapValues { Numbers(numbers: $0) })
        }
    }
}
