import Foundation

/// The lines of `--progress json`.
struct ProgressLines {
    struct Line: Decodable {
        var event: String
        var stage: String?
        var done: Int?
        var total: Int?
        var frames: Int?
        var segments: Int?
        var segmentsFromCache: Int?
        var output: String?
        var message: String?
        var exitCode: Int?
        var effect: String?
        var frame: Int?
        var firstFrame: Int?
        var segmentsWithoutEffects: Int?
        var firstSample: Int?
        var samples: Int?
        var soundWithoutEffects: Bool?
        var soundRuns: Int?
        var soundRunsFromCache: Int?

        enum CodingKeys: String, CodingKey {
            case event, stage, done, total, frames, segments, output, message, effect, frame, samples
            case firstFrame = "first_frame"
            case firstSample = "first_sample"
            case soundWithoutEffects = "sound_without_effects"
            case segmentsWithoutEffects = "segments_without_effects"
            case soundRuns = "sound_runs"
            case soundRunsFromCache = "sound_runs_from_cache"
            case segmentsFromCache = "segments_from_cache"
            case exitCode = "exit_code"
        }
    }

    let lines: [Line]

    /// - Throws: where a line is not a JSON object of this form.
    init(_ text: String) throws {
        lines = try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    func last(_ event: String) -> Line? { lines.last { $0.event == event } }
    var progress: [Line] { lines.filter { $0.event == "progress" } }
}
