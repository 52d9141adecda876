import ArgumentParser
import Composition
import Draft
import Farm
import Foundation
import Glibc
import HostCore
import Rendering
import Renders
import Scripting
import ServerClient

struct SubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit scripts or drafts to a server, which renders them.",
        discussion: """
            The script runs on this machine, so its errors are reported at once; the server receives the draft. Prints the number of each render. \
            Either all renders are accepted, or none.
            """)

    @Argument(
        help: ArgumentHelp("Lua scripts or draft documents.", valueName: "script|draft"),
        completion: .file(extensions: ["lua", "cutroom", "json"]))
    var paths: [String]

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a parameter of the scripts; may be given several times.", valueName: "name=value"))
    var parameters: [String] = []

    @OptionGroup var limits: ScriptLimitOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write, as in ‘cutroom render’. Placeholders: ‘{script}’ is the name of the script, ‘{row}’ the number of the row of --csv, ‘{NAME}’ the value of that parameter in --csv or --set.",
            valueName: "file"), completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "A CSV table with a header line; each further row is a render, and each column sets the parameter of its name.",
            valueName: "file"), completion: .file(extensions: ["csv"]))
    var csv: String?

    @Flag(name: [.long, .customShort("y")], help: "Replace the output if it exists.")
    var overwrite = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The priority; higher values render first.", valueName: "number"))
    var priority = 0

    @Option(
        help: ArgumentHelp(
            "Render only on machines with this tag, such as ‘gpu’ (see --tags of ‘cutroom serve’ and of nodes); may be given several times.",
            valueName: "tag"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("Start when this render is done; may be given several times.", valueName: "render"))
    var after: [Int64] = []

    @Option(
        help: ArgumentHelp(
            "A name that you choose for this submission. Submitting it again returns the same render and renders nothing twice.",
            valueName: "name"))
    var key: String?

    @Flag(
        help:
            "Keep the files on a remote server until ‘cutroom jobs fetch’ fetches them; with --wait they are fetched when they are done."
    )
    var fetch = false

    @Flag(help: "Upload the files that are in no folder of ‘--map’ to a remote server.")
    var upload = false

    @Flag(help: "Wait until all renders have ended; the exit code is 70 if one failed.")
    var wait = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var extent: ExtentOptions
    @OptionGroup(title: "Export") var export: ExportOptions
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup(title: "Plugins") var policy: PluginPolicy
    @OptionGroup var damage: DamagePolicy
    @OptionGroup var farm: RenderFarmOptions

    func validate() throws {
        try farm.checkMap(isUsed: server.isRemote)
        guard !fetch || server.isRemote else {
            throw ValidationError(
                "‘--fetch’ needs a remote server (--server); a server on this machine writes the file itself.")
        }
        guard !upload || server.isRemote else {
            throw ValidationError(
                "‘--upload’ needs a remote server (--server); a server on this machine reads the files itself.")
        }
        guard (-1000...1000).contains(priority) else {
            throw ValidationError("‘--priority’ is \(priority), but must be between -1000 and 1000.")
        }
        if let wrong = tag.first(where: { !Tags.isValid($0) }) { throw ValidationError(Tags.problem(wrong, "--tag")) }
        guard tag.count <= Tags.most else {
            throw ValidationError("‘--tag’ is given \(tag.count) times, but can be given at most \(Tags.most) times.")
        }
        if let key, !(1...200).contains(key.utf8.count) {
            throw ValidationError("‘--key’ must have 1 to 200 bytes.")
        }
    }

    func run() async throws {
        let submissions = Locked<[ServerRequest.Submission]>([])
        let wanted = Locked<Set<String>>([])
        let rows = Locked<[SubmissionRows.Row]>([])
        try await withSession(farm, isParanoid: policy.paranoid) { session in
            let all = try SubmissionRows(csv).rows
            rows.withLock { $0 = all }
            // If the server would not accept so many, fail before running all scripts.
            if paths.count * all.count > 1 { _ = try batch(all) }
            try await make(all, session, submissions, wanted)
        }
        try await reportingErrors(verbose: farm.verbose) {
            let ids = try submit(
                submissions.withLock { $0 }, rows.withLock { $0 }, with: wanted.withLock { $0.sorted() })
            guard wait else { return }
            let address = try server.address
            try RenderWatch(address).wait(for: ids)
            guard fetch else { return }
            for (id, submission) in zip(ids, submissions.withLock { $0 }) {
                var download = OutputDownload(id, from: address)
                let output = submission.request.output
                _ = try download.fetch(to: output, of: output, overwrites: overwrite)
            }
        }
    }

    /// Makes a draft of each row with each script, and reports the errors of all of them.
    private func make(
        _ rows: [SubmissionRows.Row], _ session: HostSession, _ submissions: Locked<[ServerRequest.Submission]>,
        _ wanted: Locked<Set<String>>
    ) async throws {
        var (outputs, wrong, checked): (Set<String>, RowErrors, Int) = ([], RowErrors(), 0)
        for path in paths {
            for row in rows where !wrong.isFull {
                checked += 1
                do {
                    let made = try await submission(of: path, row, session, wanted)
                    guard outputs.insert(made.request.output).inserted else {
                        throw HostError(
                            .usage,
                            "Two renders would write ‘\(made.request.output)’; add ‘{script}’, ‘{row}’ or a column in braces to the output's name."
                        )
                    }
                    submissions.withLock { $0.append(made) }
                } catch {
                    guard row.number != nil else { throw error }
                    if let error = error as? ScriptError, error.isAboutNames { throw inHeader(HostError(error), row) }
                    let error = HostError(error)
                    // A missing worker, or cancellation, affects every row alike.
                    guard [.data, .usage, .noInput, .cannotCreate].contains(error.code) else { throw error }
                    wrong.add(error, of: row)
                }
            }
        }
        if let error = wrong.joined(unchecked: paths.count * rows.count - checked) { throw error }
    }

    /// Returns an error about the names of parameters with the columns that it concerns. It is the
    /// same for every row.
    private func inHeader(_ error: HostError, _ row: SubmissionRows.Row) -> HostError {
        guard let csv, let column = row.values.first(where: { error.message.contains("‘\($0.column)’") }) else {
            return error
        }
        var error = error
        error.findings = error.findings.map { $0.prefixed("Column ‘\(column.column)’ of the table ‘\(csv)’") }
        return error
    }

    private func batch(_ rows: [SubmissionRows.Row]) throws(HostError) -> SubmissionBatch {
        let (paths, labels) = (paths, rows.map(\.label))
        return try SubmissionBatch(to: try server.address, count: paths.count * rows.count) { index in
            let row = labels[index % labels.count]
            let path = paths.count > 1 ? "‘\(paths[index / labels.count])’" : nil
            let words = [row, path].compactMap(\.self)
            return words.isEmpty ? "" : words.joined(separator: " of ") + ": "
        }
    }

    /// Submits the renders.
    /// - Parameter files: the files to upload before.
    private func submit(
        _ submissions: [ServerRequest.Submission], _ rows: [SubmissionRows.Row], with files: [String]
    ) throws -> [RenderID] {
        var submissions = submissions
        if !files.isEmpty {
            var upload = ContentUpload(to: try server.address)
            // Upload nothing for submissions that the server would reject.
            let contents = try ContentUpload.contents(of: files)
            for index in submissions.indices { submissions[index].uploads = submissions[index].ofUse(contents) }
            var batch = try batch(rows)
            try batch.check(submissions)
            let sent = try upload.send(files)
            for index in submissions.indices {
                for path in submissions[index].uploads?.keys.sorted() ?? [] {
                    submissions[index].uploads?[path] = sent[path]
                }
            }
        }
        let receipts: [ServerResponse.Receipt]
        if submissions.count == 1 {
            var connection = try ServerConnection(try server.address)
            guard case .submitted(let taken) = try connection.ask(.submit(submissions)) else {
                throw HostError.unfittingAnswer
            }
            receipts = taken
        } else {
            var batch = try batch(rows)
            receipts = try batch.submit(submissions)
        }
        Console.write(receipts.map { "\($0.id)\n" }.joined(), to: STDOUT_FILENO)
        return receipts.map(\.id)
    }

    private func submission(
        of path: String, _ row: SubmissionRows.Row, _ session: HostSession, _ wanted: Locked<Set<String>>
    ) async throws -> ServerRequest.Submission {
        var input = DraftInput()
        (input.path, input.parameters, input.limits) = (path, parameters + row.parameters, limits)
        let wished = try row.name(output, script: path, parameters)
        var file = try OutputFile(wished, input: path, container: nil, overwrites: overwrite)
        let known = file.pictures?.isFolder == true ? nil : file.container
        try export.check(in: known)
        try extent.check(in: known)
        var draft = try await input.load(session, caching)
        try extent.restrict(&draft, session.catalog)
        let container = try export.applied(to: draft.export, in: known).usualContainer
        try await session.sayWarnings(of: draft, in: known ?? container)
        file = try OutputFile(wished, input: path, container: container, overwrites: overwrite)
        try export.change(&draft.export, in: file.container)
        // Report errors of the plan now, rather than later on the server.
        let plan = try extent.scaled(
            RenderPlan(draft, catalog: session.catalog, container: file.container, libraries: session.libraries))
        try file.checkPictures(plan.composition.frameCount)
        try file.refuse(session.readFiles, count: plan.composition.frameCount)
        let files = upload ? ContentUpload.paths(of: draft, try PathRoots(farm.map)) : []
        wanted.withLock { $0.formUnion(files) }
        return ServerRequest.Submission(
            draft, name: path, to: file, scale: extent.scale, pluginPaths: farm.plugins.pluginPath,
            skipsFailingEffects: policy.skips, isStrict: damage.isStrict,
            roots: server.isRemote ? try PathRoots(farm.map) : nil,
            isFetched: fetch, priority: priority, tags: Set(tag),
            after: Set(after.map { RenderID($0) }),
            key: key.map { key(for: path, row, $0) })
    }
}

extension SubmitCommand {
    /// Returns the key of one of several submissions: the common key, and what distinguishes this
    /// one.
    private func key(for path: String, _ row: SubmissionRows.Row, _ whole: String) -> String {
        ([whole] + (paths.count == 1 ? [] : [path]) + (row.number.map { ["\($0)"] } ?? [])).joined(separator: "/")
    }
}
