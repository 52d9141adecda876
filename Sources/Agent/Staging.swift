import Farm
import FoundationEssentials
import Jobs
import Messaging

/// What is done to a server's job so that this machine can do it, and to what comes of it so that the server can use it. It may wait,
/// and is used by several threads.
struct Staging: Sendable {
    let map: PathMap

    private var isNeeded: Bool { !map.isIdentity }

    /// The job with this machine's paths.
    func stageIn(_ spec: JobSpec) -> Result<JobSpec, JobFailure> {
        guard isNeeded, let kind = JobKind(rawValue: spec.kind) else { return .success(spec) }
        do throws(JobFailure) {
            var spec = spec
            let job: Job
            do { job = try Job(kind, payload: spec.payload) } catch {
                throw JobFailure(
                    .internal, "a job cannot be read; server and node differ in version", details: ["\(error)"])
            }
            var places: [String: String] = [:]
            for path in job.paths.keys { places[path] = try place(of: path) }
            let staged = job.mappingPaths { path, _ in places[path] ?? path }
            do { spec.payload = try staged.payload } catch {
                throw JobFailure(.internal, "a job cannot be written", details: ["\(error)"])
            }
            return .success(spec)
        } catch {
            return .failure(error)
        }
    }

    private func place(of path: String) throws(JobFailure) -> String {
        switch map.place(of: path) {
        case .here(let path): return path
        case .same: return path
        case .lacking(let name):
            throw JobFailure(.declined, "it has no folder ‘\(name)’ (--map \(name)=FOLDER), under which ‘\(path)’ lies")
        case .escapes:
            throw JobFailure(.input, "‘\(path)’ leads out of its folder by ‘..’; name the file without that.")
        }
    }

    /// A result with the server's paths.
    func stageOut(_ kind: String, _ result: Data) -> Result<Data, JobFailure> {
        guard isNeeded, let kind = JobKind(rawValue: kind) else { return .success(result) }
        do {
            return .success(
                try kind.mappingPaths(inReply: result, { map.returned($0) }, text: { map.returned(inText: $0) }))
        } catch {
            return .failure(JobFailure(.internal, "a result cannot be read", details: ["\(error)"]))
        }
    }

    /// What people read, with the server's paths.
    func stageOut(_ text: String) -> String { isNeeded ? map.returned(inText: text) : text }

    func stageOut(_ failure: JobFailure) -> JobFailure {
        guard isNeeded else { return failure }
        var failure = failure
        failure.message = stageOut(failure.message)
        failure.details = failure.details.map(stageOut)
        if let blame = failure.blame {
            failure.blame?.path = map.returned(blame.path)
            failure.blame?.reason = blame.reason.map(stageOut)
        }
        return failure
    }
}
