import Jobs
import Values

extension SoundLevel {
    /// In what the sound is not what was asked for, as a sentence without a full stop; nil where it
    /// is.
    var shortfall: String? {
        let wish = "\(Value.number(target.integrated).forPeople) LUFS"
        guard let reached else {
            return "the sound is silent, or too short to have a loudness, so it stays as it is instead of \(wish)"
        }
        func rounded(_ level: Double) -> String { Value.number((level * 100).rounded() / 100).forPeople }
        if abs(reached - target.integrated) > Self.tolerance {
            return
                "the sound has \(rounded(reached)) LUFS instead of \(wish): more would not leave it whole with true peaks up to "
                + "\(Value.number(target.truePeak).forPeople) dBTP; ask for less, or let peaks be higher"
        }
        guard let truePeak, truePeak > target.truePeak else { return nil }
        return
            "the encoded sound peaks at \(rounded(truePeak)) dBTP instead of \(Value.number(target.truePeak).forPeople) dBTP; a "
            + "higher bit rate keeps closer to it"
    }
}
