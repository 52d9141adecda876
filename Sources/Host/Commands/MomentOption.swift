import ArgumentParser
import Composition
import HostCore
import Values

/// The time at which a command looks at the timeline.
struct MomentOption: ParsableArguments {
    @Option(
        name: .customLong("at"), parsing: .unconditional,
        help: ArgumentHelp("The time, in seconds of the final timeline or as 1:02.5.", valueName: "time"))
    var text: String

    func validate() throws {
        guard ExtentOptions.time(text[...]) == nil else { return }
        throw ValidationError(
            "‘--at \(text)’ must be a time from 0 to 100 days, in seconds or as 1:02.5, for example ‘--at 2.5’.")
    }

    var time: Time { ExtentOptions.time(text[...]) ?? .zero }
}

extension SnapshotPlan {
    /// Returns the frame that is shown at a time of the final timeline.
    /// - Throws: a usage error with the rendered range, if no frame is shown at that time.
    func checkedFrame(at time: Time) throws(HostError) -> Int {
        if let frame = frame(at: time) { return frame }
        let end = self.time(of: composition.frameCount)
        throw HostError(
            .usage,
            "There is no frame at \(time.forPeople) s; the render goes from \(start.forPeople) s to just before \(end.forPeople) s."
        )
    }
}
