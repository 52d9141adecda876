import Composition
import Foundation

/// What a worker is asked to do.
public enum Job: Hashable, Sendable {
    case probe(ProbeJob)
    case inspect(InspectJob)
    case trial(TrialJob)
    case fonts(FontJob)
    case segment(SegmentJob)
    case sound(SoundJob)
    case assemble(AssembleJob)
    case verify(VerifyJob)
    case snapshot(SnapshotJob)
    case analysis(AnalysisJob)
    case soundPieces(SoundPiecesJob)
    case peaks(PeaksJob)

    public var kind: JobKind {
        switch self {
        case .probe: .probe
        case .inspect: .inspect
        case .trial: .trial
        case .fonts: .fonts
        case .segment: .segment
        case .sound: .sound
        case .assemble: .assemble
        case .verify: .verify
        case .snapshot: .snapshot
        case .analysis: .analysis
        case .soundPieces: .soundPieces
        case .peaks: .peaks
        }
    }

    /// What travels to the worker: the job's JSON, without its kind.
    public var payload: Data {
        get throws {
            let encoder = JSONEncoder()
            return switch self {
            case .probe(let job): try encoder.encode(job)
            case .inspect(let job): try encoder.encode(job)
            case .trial(let job): try encoder.encode(job)
            case .fonts(let job): try encoder.encode(job)
            case .segment(let job): try encoder.encode(job)
            case .sound(let job): try encoder.encode(job)
            case .assemble(let job): try encoder.encode(job)
            case .verify(let job): try encoder.encode(job)
            case .snapshot(let job): try encoder.encode(job)
            case .analysis(let job): try encoder.encode(job)
            case .soundPieces(let job): try encoder.encode(job)
            case .peaks(let job): try encoder.encode(job)
            }
        }
    }

    /// The same job without a plugin's effect, for jobs that make pictures or sound.
    /// - Parameters:
    ///   - id: the effect's; empty: all effects of the library.
    ///   - library: its path.
    /// - Returns: nil where the job does not use it.
    public func leavingOut(_ id: String, of library: String) -> Job? {
        switch self {
        case .segment(var job):
            guard let slice = job.slice.leavingOut(id, of: library) else { return nil }
            job.slice = slice
            return .segment(job)
        case .snapshot(var job):
            guard let slice = job.slice.leavingOut(id, of: library) else { return nil }
            job.slice = slice
            return .snapshot(job)
        case .sound(let job): return job.leavingOut(id, of: library).map(Job.sound)
        case .soundPieces(let job):
            return job.sound.leavingOut(id, of: library).map {
                .soundPieces(SoundPiecesJob($0, pieceSamples: job.pieceSamples))
            }
        case .probe, .inspect, .trial, .fonts, .assemble, .verify, .analysis, .peaks: return nil
        }
    }
}
