import Composition
import Content
import Farm
import FoundationEssentials
import Jobs
import Messaging

/// A job that was prepared for this machine.
struct StagedJob: Sendable {
    var spec: JobSpec
    /// The decoded job with this machine's paths; nil if it is passed on undecoded.
    var job: Job?
    /// The local paths, by the job's paths.
    var places: [String: String] = [:]
    /// The contents of the cache that the job uses.
    var claims: [ContentID] = []
    /// The server's modification times of fetched files, in nanoseconds since 1970.
    var times: [String: Int64] = [:]
    /// The local folder for the job's output, unless it writes into a folder of the server's.
    var output: String?
}

/// Translates a server's jobs for this machine, and their results for the server. Methods may
/// block, and may be called from several threads.
struct Staging: Sendable {
    let map: PathMap
    /// Fetches and sends files; nil if the node shares the server's storage.
    var content: ContentStaging?

    private var isNeeded: Bool { !map.isIdentity || content != nil }

    /// Returns the job with this machine's paths.
    /// - Parameter client: nil if nothing can be fetched.
    func stageIn(_ spec: JobSpec, _ client: ContentClient?) -> Result<StagedJob, JobFailure> {
        var staged = StagedJob(spec: spec)
        guard isNeeded else { return .success(staged) }
        do throws(JobFailure) {
            guard let job = try Self.job(spec) else { return .success(staged) }
            for (path, uses) in job.paths.sorted(by: { $0.key < $1.key }) {
                staged.places[path] = try place(of: path, uses, client, &staged)
            }
            let places = staged.places
            let moved = job.mappingPaths { path, _ in places[path] ?? path }
            do { staged.spec.payload = try moved.payload } catch {
                throw JobFailure(.internal, "a job cannot be written", details: ["\(error)"])
            }
            staged.job = moved
            return .success(staged)
        } catch {
            content?.release(staged)
            return .failure(error)
        }
    }

    private static func job(_ spec: JobSpec) throws(JobFailure) -> Job? {
        do { return try Job(kind: spec.kind, payload: spec.payload) } catch {
            throw JobFailure(
                .internal, "a job cannot be read; server and node differ in version", details: ["\(error)"])
        }
    }

    private func place(
        of path: String, _ uses: Set<PathUse>, _ client: ContentClient?, _ staged: inout StagedJob
    ) throws(JobFailure) -> String {
        switch map.place(of: path) {
        case .here(let path): return path
        case .escapes:
            throw JobFailure(.input, "‘\(path)’ leads out of its folder by ‘..’; name the file without that.")
        case .same, .lacking:
            if let content, let client { return try content.place(of: path, uses, client, &staged) }
        }
        guard case .lacking(let name) = map.place(of: path) else { return path }
        throw JobFailure(.declined, "it has no folder ‘\(name)’ (--map \(name)=FOLDER), under which ‘\(path)’ lies")
    }

    // MARK: Results

    /// Returns a result with the server's paths, and the files that the server must have first.
    func stageOut(
        _ result: Data, of staged: StagedJob, _ client: ContentClient?
    ) -> Result<(result: Data, delivery: Delivery?), JobFailure> {
        guard let job = staged.job else { return .success((result, nil)) }
        let back = WayBack(staged, map)
        var made: [String: String] = [:]
        do {
            let terms = ReplyTerms(
                path: { path in
                    let there = back.path(path)
                    if let output = staged.output, path.hasPrefix(output + "/") { made[path] = there }
                    return there
                }, text: back.text, time: { staged.times[$0] })
            let named = try job.translated(result, terms)
            guard let output = staged.output, !made.isEmpty else { return .success((named, nil)) }
            let delivery = try Delivery(made, in: output) { () throws(JobFailure) in
                client?.reportProgress()
                try client?.checkCancelled()
            }
            return .success((named, delivery))
        } catch let error as JobFailure {
            return .failure(error)
        } catch {
            return .failure(JobFailure(.internal, "a result cannot be read", details: ["\(error)"]))
        }
    }

    /// Returns a message for people, with the server's paths.
    func stageOut(_ text: String, of staged: StagedJob?) -> String {
        isNeeded ? WayBack(staged, map).text(text) : text
    }

    func stageOut(_ failure: JobFailure, of staged: StagedJob?) -> JobFailure {
        guard isNeeded else { return failure }
        let back = WayBack(staged, map)
        var failure = failure
        failure.message = back.text(failure.message)
        failure.details = failure.details.map(back.text)
        if let blame = failure.blame {
            failure.blame?.path = back.path(blame.path)
            failure.blame?.reason = blame.reason.map(back.text)
        }
        return content?.judged(failure) ?? failure
    }
}

/// The mapping from this machine's paths to the server's.
private struct WayBack {
    private let map: PathMap
    /// Local and server paths, the longest first.
    private let pairs: [(here: String, there: String)]

    init(_ staged: StagedJob?, _ map: PathMap) {
        self.map = map
        pairs = (staged?.places ?? [:]).map { ($0.value, $0.key) }.filter { $0 != $1 }.sorted {
            $0.0.utf8.count > $1.0.utf8.count
        }
    }

    func path(_ path: String) -> String {
        for (here, there) in pairs {
            if path == here { return there }
            // The rest is a run's name, or a path within a folder.
            if path.hasPrefix(here + ".") || path.hasPrefix(here + "/") { return there + path.dropFirst(here.count) }
        }
        return map.returned(path)
    }

    func text(_ text: String) -> String {
        map.returned(inText: pairs.reduce(text) { $0.replacing($1.here, with: $1.there) })
    }
}
