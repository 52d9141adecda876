import Draft
import Values

/// Explains a picture, for programs.
package struct ExplanationReport: Encodable {
    package var frame: Int
    /// In seconds of the final timeline.
    package var time: Double
    package var clips: [Clip]
    package var effects: [Effect]

    package struct Clip: Encodable {
        package var item: String
        package var label: String
        package var file: String?
        package var sourceTime: Double?
        package var speed: Double
        package var script: String?
        package var line: Int?
        package var values: [String: Numbers]
    }

    package struct Effect: Encodable {
        package var item: String
        package var name: String
        package var time: Double
        package var script: String?
        package var line: Int?
        package var values: [String: Numbers]
    }

    /// One or several numbers.
    package struct Numbers: Encodable {
        package let numbers: [Double]

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if numbers.count == 1 { try container.encode(numbers[0]) } else { try container.encode(numbers) }
        }
    }

    package init(_ explanation: Explanation, frame: Int, rate: Rational) {
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
