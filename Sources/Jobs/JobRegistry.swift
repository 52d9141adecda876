import Composition

/// The kinds of jobs that hosts and nodes know. A worker does those that conform to its `Work`.
public enum JobRegistry {
    public static let types: [any WorkerJob.Type] = [
        ProbeJob.self, InspectJob.self, TrialJob.self, FontJob.self, SegmentJob.self, MixJob.self,
        SoundJob.self, SoundPiecesJob.self, AssembleJob.self, VerifyJob.self, SnapshotJob.self, AnalysisJob.self,
        PeaksJob.self,
    ]

    private static let byKind = Dictionary(uniqueKeysWithValues: types.map { ($0.kind, $0) })

    /// Returns the type of a kind of job; nil for one that this version does not know.
    public static func type(of kind: String) -> (any WorkerJob.Type)? { byKind[kind] }
}
