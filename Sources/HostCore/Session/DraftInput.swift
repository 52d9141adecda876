import ArgumentParser
import Draft
import Farm
import Foundation
import Scripting
import Values

/// The script, document or media file that a command works on. A media file is the draft whose one
/// clip it is.
package struct DraftInput: ParsableArguments {
    package init() {}

    @Argument(
        help: ArgumentHelp(
            "A Lua script, a draft's document (.cutroom), or a video file, which is a draft of one clip; - reads a script or a document from standard input.",
            valueName: "script|draft"),
        completion: .file(extensions: ["lua", "cutroom", "json"]))
    package var path: String

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set a parameter of the script. Repeatable, also for a parameter that is a list.",
            valueName: "name=value"))
    package var parameters: [String] = []

    @OptionGroup package var limits: ScriptLimitOptions

    /// Whether it comes from standard input; its paths are then relative to the working folder.
    package var isStandardInput: Bool { path == "-" }
    /// The name in messages, and the basis of the default output name.
    package var name: String { isStandardInput ? "stdin" : path }

    /// Builds the draft and probes its media.
    /// - Throws: an error in the script, the document or a parameter; errors of workers come first.
    /// - Parameters:
    ///   - caching: whether facts about files and analysis results are cached.
    ///   - reporter: shows the progress.
    package func load(_ session: HostSession, _ caching: CacheOptions, _ reporter: ProgressReporter? = nil) async throws
        -> Draft
    {
        let memory = try caching.memory
        session.known.withLock { $0.memory = memory }
        let analyst = Analyst(session, try caching.store(session.log), reporter ?? ProgressReporter(nil))
        let result: Result<Draft, any Error>
        do {
            let draft = try await read(session, analyst)
            try await session.knowLibraries()
            result = .success(draft)
        } catch {
            result = .failure(error)
        }
        await analyst.close()
        await memory?.close()
        // After a signal, that signal is the reason, whatever error it has caused.
        try Task.checkCancellation()
        if let failure = session.failure { throw failure }
        return try result.get()
    }

    /// Checks that the file exists and can be read; its content is not checked.
    package func checkIsThere() throws {
        _ = try checkReadable(absolutePath(path, in: FileManager.default.currentDirectoryPath))
    }

    /// The kind of the input.
    private enum Source {
        /// - path: as it was given, for messages.
        /// - text: the content, unless it comes from a file.
        case script(path: String, text: Data?)
        /// - folder: the base of its relative paths.
        case document(Data, folder: String)
        /// - file: absolute.
        case media(file: String)
    }

    /// Whether it is a media file, by its name or by its first bytes.
    package var isMedia: Bool { if case .media? = try? source() { true } else { false } }

    private func source() throws -> Source {
        let folder = FileManager.default.currentDirectoryPath
        if isStandardInput {
            let data = try StandardInput.read()
            return Self.isDocument(data.prefix(64))
                ? .document(data, folder: folder) : .script(path: name, text: data)
        }
        let file = absolutePath(path, in: folder)
        let size = try checkReadable(file)
        switch try kind(file) {
        case .script: return .script(path: path, text: nil)
        case .media: return .media(file: file)
        case .document: try checkDocumentSize(size)
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw HostError(.noInput, "‘\(path)’ cannot be read.")
        }
        return .document(data, folder: (file as NSString).deletingLastPathComponent)
    }

    private func read(_ session: HostSession, _ analyst: Analyst) async throws -> Draft {
        switch try source() {
        case .media(let file): return try await loadMedia(file, session)
        case .document(let data, let folder):
            if !isStandardInput {
                let path = absolutePath(path, in: FileManager.default.currentDirectoryPath)
                session.known.withLock { _ = $0.sources.insert(path) }
            }
            return try await loadDocument(data, in: folder, session)
        case .script(let path, let text):
            if text == nil {
                let file = absolutePath(path, in: FileManager.default.currentDirectoryPath)
                session.known.withLock { _ = $0.sources.insert(file) }
            }
            return try await withScript(session, analyst) { (values, run, environment) throws(ScriptError) in
                let result = try Script.run(
                    path: path, text: text, parameters: values, limits: run.limits, clock: run.clock,
                    environment: environment)
                session.call(result.catalog.names)
                session.known.withLock { $0.parameters = result.parameters }
                return result.draft
            }
        }
    }

    /// Returns the path of a script, or its name and content if it comes from standard input.
    package func script() throws -> (path: String, text: Data?) {
        switch try source() {
        case .script(let path, let text): return (path, text)
        case .document:
            throw HostError(.usage, "‘\(path)’ is a draft's document, which has no parameters; scripts have.")
        case .media:
            throw HostError(.usage, "‘\(path)’ is a media file, which has no parameters; scripts have.")
        }
    }

    /// Checks that a file can be read.
    /// - Returns: its size in bytes.
    private func checkReadable(_ file: String) throws -> Int {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
            throw HostError(
                .noInput,
                sentence(
                    urlRefusal(path) ?? "There is no file ‘\(path)’\(MissingFile.hint(file, isScript: true))"))
        }
        if isFolder.boolValue { throw HostError(.noInput, "‘\(path)’ is a folder, not a script or a draft.") }
        // Opening a FIFO blocks until something writes into it.
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw HostError(
                .noInput, "‘\(path)’ is not a regular file; to read a script from a pipe, give ‘-’.")
        }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw HostError(.noInput, "‘\(path)’ cannot be read: permission denied.")
        }
        return Int(status.st_size)
    }

    private enum Kind { case script, document, media }

    /// Returns the kind by the file's name or by its first character: no Lua script begins with a
    /// brace. Text has no zero bytes, and every media file has some.
    private func kind(_ file: String) throws -> Kind {
        switch (file as NSString).pathExtension.lowercased() {
        case "cutroom", "json": return .document
        case "lua": return .script
        case "srt", "vtt", "ass", "ssa":
            throw HostError(
                .noInput,
                "‘\(path)’ is a subtitle file, not a script; use it in a script with "
                    + "draft:add_subtitles(\"\((path as NSString).lastPathComponent)\").")
        default:
            if MediaName(path: file) != nil { return .media }
            let handle = FileHandle(forReadingAtPath: file)
            defer { try? handle?.close() }
            let head = (try? handle?.read(upToCount: 4096)) ?? Data()
            return head.contains(0) ? .media : Self.isDocument(head) ? .document : .script
        }
    }

    private static func isDocument(_ head: Data) -> Bool {
        head.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    }

    /// Makes the draft of a media file.
    private func loadMedia(_ file: String, _ session: HostSession) async throws -> Draft {
        guard parameters.isEmpty else {
            throw HostError(.usage, "‘--set’ is for scripts; ‘\(path)’ is a media file.")
        }
        var names = PathNames()
        names.note(file, written: path)
        session.call(names)
        var draft = Draft()
        draft.clips.append(Clip(path: file))
        try await session.probe(draft.files)
        switch session.catalog.media[file] {
        case .unreadable(let reason)?: throw HostError(.data, sentence(names.applied(to: reason)))
        case .found(let info)?:
            if let reason = info.unfitness(asImage: false, inLayer: false) {
                throw HostError(.data, "‘\(path)’ \(reason), in a script.")
            }
        case nil: break
        }
        return draft
    }

    private func loadDocument(_ data: Data, in folder: String, _ session: HostSession) async throws -> Draft {
        guard parameters.isEmpty else {
            throw HostError(.usage, "‘--set’ is for scripts; ‘\(name)’ is a draft's document.")
        }
        try checkDocumentSize(data.count)
        session.call(PathNames(folder: folder))
        let document = try DraftDocument(data, file: name, folder: folder)
        let ids = document.pluginIDs
        let draft = try document.draft(ids.isEmpty ? [] : try await session.inspectPlugins(for: ids).effects)
        try await session.probe(draft.files)
        return draft
    }

    /// Checks the size of a document.
    /// - Parameter size: in bytes.
    private func checkDocumentSize(_ size: Int) throws {
        guard size <= 256 << 20 else {
            throw HostError(.data, "‘\(name)’ is larger than 256 MiB, so it is not a draft's document.")
        }
    }

    /// Runs a script on a thread of its own, within its limits.
    /// - Parameters:
    ///   - analyst: nil to make a script fail that asks for an analysis.
    ///   - body: called with the values of `--set`, and with the run, its limits and its clock.
    package func withScript<Made: Sendable>(
        _ session: HostSession, _ analyst: Analyst?,
        _ body: @escaping @Sendable ([String: [String]], ScriptRun, SessionEnvironment) throws(ScriptError) -> Made
    ) async throws -> Made {
        var values: [String: [String]] = [:]
        for item in parameters {
            guard let equals = item.firstIndex(of: "="), equals > item.startIndex else {
                throw HostError(.usage, "‘--set \(item)’ must have the form name=value.")
            }
            values[String(item[..<equals]), default: []].append(String(item[item.index(after: equals)...]))
        }
        let parameters = values
        let environment = SessionEnvironment(session: session, analyst: analyst)
        let run = ScriptRun(limits: limits.limits) { environment.isCancelled }
        let result: Result<Made, ScriptError> = await withTaskCancellationHandler {
            await run.result { () throws(ScriptError) in try body(parameters, run, environment) }
        } onCancel: {
            environment.cancelled.withLock { $0 = true }
            // The script may be waiting for a worker's answer.
            session.queue.stop()
        }
        return try result.get()
    }
}

/// The limits of a script that the command line sets.
package struct ScriptLimitOptions: ParsableArguments {
    package init() {}

    @Option(
        name: .customLong("script-timeout"),
        help: ArgumentHelp(
            "Stop the script after this wall-clock time, not counting waits for workers. Default: 60. It may also use 10 s of processor time.",
            valueName: "seconds"))
    package var seconds: Double?

    package func validate() throws {
        guard let seconds else { return }
        guard seconds >= 0.1, seconds <= 86_400 else {
            throw ValidationError("‘--script-timeout’ must be 0.1 to 86400 seconds.")
        }
    }

    package var limits: ScriptLimits {
        var limits = ScriptLimits()
        if let seconds { limits.wallTime = .seconds(seconds) }
        return limits
    }
}

/// The environment of a script, which workers provide.
package struct SessionEnvironment: ScriptEnvironment {
    let session: HostSession
    let analyst: Analyst?
    let cancelled = Locked(false)

    package var isCancelled: Bool { cancelled.withLock { $0 } || session.isScriptStopped }
    package func reads(_ path: String) { session.known.withLock { _ = $0.sources.insert(path) } }
    package func probe(_ file: DraftFile) -> Catalog.Entry { session.probe(file) }
    package func effects() throws -> [EffectDescriptor] { try session.effects() }
    package func effect(_ id: String) throws -> EffectDescriptor? { try session.foreignEffect(id) }
    package var otherEffects: [String] { session.foreignIDs }
    package func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] {
        try session.substitutes(for: fonts)
    }
    package func overhangs(of titles: Set<PlacedTitle>) throws -> [PlacedTitle: PlacedTitle.Overhang] {
        try session.overhangs(of: titles)
    }
    package func analyse(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) throws -> AnalysisTrack {
        guard let analyst else { throw ScriptError(.rule, "nothing is analysed to list a script's parameters") }
        return try analyst.analyse(analysis, grid, catalog)
    }
    package func log(_ line: String) { Console.pass(line) }
}
