/// The kinds of work that a worker knows. Each has a payload and a reply, both plain values.
public enum JobKind: String, Sendable, Codable, CaseIterable {
    case probe, inspect, trial, fonts, segment, sound, assemble, verify, snapshot, analysis, peaks
    case soundPieces = "sound_pieces"
}
