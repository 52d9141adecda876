import PluginABI

/// The test of what an effect declares about its place on the timeline.
extension CheckSubject {
    func checkTimeline() throws {
        guard can(CUTROOM_IGNORES_TIMELINE) else {
            throw report.skip("the effect does not declare that it ignores the timeline")
        }
        try requireDeterminism()
        var random = CheckRandom(seed, 4)
        for setting in settings {
            for values in [defaults, .maxima(binding), .random(binding, using: &random)] {
                try compareCourses(setting, values)
            }
        }
    }

    /// The places of the timeline at which four frames are made, beside its start.
    private var courses: [[Int]] {
        let same = [Array(repeating: 1, count: 4), Array(repeating: 1_000_003, count: 4)]
        // All frames have one time and one number there: an effect that tells frames apart by them
        // takes them for one.
        return state == .pure ? same + [[3, 2, 1, 0]] : same
    }

    private func compareCourses(_ setting: CheckSetting, _ values: CheckValues) throws {
        guard let first = try make(setting, values) else { return }
        let expected = try (0..<4).map { try first.frame(CheckShot($0)) }
        for course in courses {
            guard let instance = try make(setting, values) else { continue }
            for (number, place) in course.enumerated() {
                var shot = CheckShot(number)
                shot.place = place
                expectEqual(
                    expected[number], try instance.frame(shot), setting,
                    "frame \(number) is another one elsewhere on the timeline",
                    advice:
                        "use neither call->timeline_time nor the pts and index of frames, not even to tell frames apart, or do "
                        + "not declare CUTROOM_IGNORES_TIMELINE")
            }
        }
    }
}
