import Composition
import Draft
import Foundation
import HostCore
import Jobs
import Values

/// Requests of pages about the draft and its files.
extension Editor {
    func state() async -> EditorState {
        let good = revision()
        let now = (number: number, status: status, problems: problems, parameters: parameters)
        let (path, name) = (script, options.input.name)
        let (ready, failed) = await driver.standing
        let damaged = await driver.damage
        var state = await lane.run { EditorState(now, good, script: path, name: name) }
        (state.ready, state.failed) = (ready, failed.map { LiveMessage.Failed(key: $0.key, message: $0.message) })
        state.damaged = damaged
        return state
    }

    /// Returns the parameters' values as command-line options.
    func optionWords() -> String {
        words.map { "--set " + Self.quoted($0) }.joined(separator: " ")
    }

    /// Quotes a word for a shell.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0 & 0xdf) || "=._-/:,+@%".utf8.contains($0)
        }
        return isPlain ? word : "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    func set(_ new: EditorActs.Values) throws(WebError) {
        var texts: [String: [String]?] = [:]
        for (name, item) in new.values {
            guard parameters.isEmpty || parameters.contains(where: { $0.name == name }) else {
                throw WebError(400, "The script has no parameter ‘\(name)’.")
            }
            if case .texts(let items)? = item { texts[name] = .some(items) } else { texts[name] = .some(nil) }
        }
        set(texts)
    }

    /// Returns a script or module of the draft by the name that messages use for it.
    package func source(_ name: String) throws(HostError) -> String {
        let path = absolutePath(name, in: FileManager.default.currentDirectoryPath)
        guard path == script || sources.contains(path) else {
            throw HostError(.noInput, "‘\(name)’ is not a part of the script.")
        }
        return path
    }

    func why(_ frame: Int) throws -> ExplanationReport {
        guard let good = revision() else { throw WebError(409, "There is no draft yet.") }
        let rate = good.plan.composition.frameRate
        guard (0..<good.plan.composition.frameCount).contains(frame) else {
            throw WebError(404, "There is no frame \(frame).")
        }
        var whole = good.draft
        whole.timeRange = nil
        let explanation = Explanation(frame: frame, rate: rate, of: whole, good.timeline)
        return ExplanationReport(explanation, frame: frame, rate: rate)
    }

    // MARK: Pictures and sound

    /// Renders a frame with the quality of an export, as PNG.
    /// - Parameter width: in pixels, for a smaller picture.
    /// - Returns: nil if no client waits any more.
    package func picture(of frame: Int, in number: Int, width: Int?) async throws -> Data? {
        guard let good = revision(number) else {
            throw WebError(410, "This revision is too old; load the newest one.")
        }
        guard (0..<good.snapshots.composition.frameCount).contains(frame) else {
            throw WebError(404, "There is no frame \(frame).")
        }
        var job = good.snapshots.job(frame, format: .png, output: newPath("frame"))
        if let width, width < job.size.width { job.scaledSize = job.size.scaled(toWidth: width) }
        return try await written(job, good.session, isUrgent: width.map { $0 > Self.stripWidth } ?? true)
    }

    /// Pictures up to this width, in pixels, belong to a strip, and are not urgent.
    private static let stripWidth = 400

    /// Renders a thumbnail of a file of the draft or of a media folder.
    func thumbnail(of path: String, at seconds: Double, height: Int) async throws -> Data? {
        let (file, session) = try await media(path)
        guard file.info.video != nil || file.info.kind == .image, let time = Time(seconds: max(0, seconds)) else {
            throw WebError(404, "‘\(path)’ has no picture.")
        }
        guard let job = ThumbnailPlan(file, at: time, height: min(max(16, height), 480)).job(newPath("thumb")) else {
            throw WebError(404, "‘\(path)’ has no picture at \(seconds) s.")
        }
        return try await written(job, session, isUrgent: false)
    }

    private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func absence(of path: String) -> WebError { WebError(404, "‘\(path)’ is not there any more.") }

    func wave(of path: String, from start: Double, duration: Double, points: Int) async throws -> Data? {
        let (file, session) = try await media(path)
        guard file.info.audio != nil else { throw WebError(404, "‘\(path)’ has no sound.") }
        guard let start = Time(seconds: start), let duration = Time(seconds: duration), start >= .zero,
            duration > .zero,
            (1...20_000).contains(points)
        else { throw WebError(400, "The range of the sound, or the number of points, is out of bounds.") }
        let job = PeaksJob(file, range: TimeRange(start: start, duration: duration), points: points)
        return try await driver.run(Job(job), in: session, isUrgent: false)
    }

    package func newPath(_ name: String) -> String {
        "\(cache.partsFolder)/\(name)-\(UInt32.random(in: .min ... .max))"
    }

    /// Runs a job, and returns the content of the file that it wrote, which is removed.
    func written(_ job: SnapshotJob, _ session: HostSession, isUrgent: Bool) async throws -> Data? {
        var job = job
        job.isPassing = true
        let result: Data?
        do {
            result = try await driver.run(Job(job), in: session, isUrgent: isUrgent)
        } catch {
            // A take may be discarded meanwhile.
            for file in job.slice.files where !isThere(file.path) { throw Self.absence(of: file.path) }
            throw error
        }
        guard let result else { return nil }
        let path = try JSONDecoder().decode(SnapshotJob.Reply.self, from: result).path
        // A worker may name any file.
        guard path.hasPrefix(job.output), !path.split(separator: "/").contains("..") else {
            throw WebError(500, "A worker wrote ‘\(path)’ instead of a picture.")
        }
        return await pictures.run {
            defer { try? FileManager.default.removeItem(atPath: path) }
            return FileManager.default.contents(atPath: path)
        }
    }

    /// Returns a file that a page may read, with its media information.
    package func media(_ path: String) async throws -> (MediaFile, HostSession) {
        guard let session = revision()?.session, let real = await allowed(path) else {
            throw WebError(404, "‘\(path)’ is not a file of the draft or of a media folder.")
        }
        try await session.probe([DraftFile(real)])
        guard let info = session.catalog.info(real) else {
            throw isThere(real) ? WebError(422, "‘\(path)’ cannot be read.") : Self.absence(of: path)
        }
        return (MediaFile(path: real, info: info), session)
    }
}

/// The plan for a picture of a file: a small draft with the file as its only clip.
private struct ThumbnailPlan {
    private let file: MediaFile
    private let time: Time
    private let height: Int

    init(_ file: MediaFile, at time: Time, height: Int) { (self.file, self.time, self.height) = (file, time, height) }

    func job(_ output: String) -> SnapshotJob? {
        let rate = Rational(30)
        let (width, tall) = (file.info.video?.width ?? 16, max(1, file.info.video?.height ?? 9))
        var draft = Draft()
        draft.canvas.size = Canvas.Size(width: max(16, width * height / tall / 2 * 2), height: height / 2 * 2)
        draft.canvas.frameRate = rate
        if file.info.kind == .image {
            draft.clips = [Clip(path: file.path, content: .image(duration: Time(frame: 1, rate: rate)))]
        } else {
            // Times after the end show the last picture.
            let last = max(.zero, file.info.duration - Time(frame: 1, rate: rate))
            let range = TimeRange(start: min(time, last), duration: Time(frame: 1, rate: rate))
            draft.clips = [Clip(path: file.path, content: .media(range: range))]
        }
        let catalog = Catalog(media: [file.path: .found(file.info)])
        let plan = try? SnapshotPlan(draft, catalog: catalog, whole: true)
        return plan?.job(0, format: .jpeg, output: output)
    }
}

extension Canvas.Size {
    fileprivate func scaled(toWidth wished: Int) -> Canvas.Size {
        let width = max(16, wished / 2 * 2)
        return Canvas.Size(width: width, height: max(16, height * width / self.width / 2 * 2))
    }
}
