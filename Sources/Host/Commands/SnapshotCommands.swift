import ArgumentParser
import Cleanup
import Composition
import Delivery
import Foundation
import HostCore

struct SnapshotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshots", abstract: "Write evenly spaced frames of a script or draft as pictures.",
        discussion: """
            Each picture is a frame of the render, from the middle of one of N equal parts. Pictures that cannot be taken
            are reported, and the others are written.
            """)

    @OptionGroup var input: DraftInput
    @Option(name: .shortAndLong, parsing: .unconditional, help: "The number of pictures, 1 to 10000.")
    var number = 8
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder to write to; it is created if it does not exist.", valueName: "folder"),
        completion: .directory)
    var output: String
    @Option(help: "The format of the pictures.")
    var format: StillFormat = .png
    @Flag(help: "Use the whole timeline, not only the draft's time_range.")
    var whole = false
    @Flag(name: [.long, .customShort("y")], help: "Replace existing pictures.")
    var overwrite = false
    @Flag(help: "Print the result as JSON.")
    var json = false
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup(title: "Plugins") var plugins: PluginPolicy
    @OptionGroup var farm: RenderFarmOptions

    func validate() throws {
        try farm.checkMap()
        guard (1...10_000).contains(number) else {
            throw ValidationError("‘--number’ is \(number), but must be between 1 and 10000.")
        }
    }

    func run() async throws {
        let command = self
        let folder = folder
        let staging = StagingFolder(in: folder.path)
        try await withSession(farm, writable: [staging.path], isParanoid: plugins.paranoid) { session in
            // Before any work: invalid names should not cost a run of the script.
            try folder.check()
            // Before any worker is started, which could otherwise not write to the folder.
            let new = try folder.make()
            // Where no picture came to be, the folder goes too.
            defer { for folder in new { CleanupRegistry.remove(folder, .emptyFolder) } }
            try staging.make()
            defer { staging.remove() }
            var draft = try await command.input.load(session, command.caching)
            if command.whole { draft.timeRange = nil }
            try await session.sayWarnings(of: draft, in: nil)
            let plan = try SnapshotPlan(draft, catalog: session.catalog, whole: command.whole)
            let frames = plan.evenlySpaced(command.number)
            let files = try folder.files()
            let read = session.readFiles
            for file in files { try file.refuse(read) }
            let taker = SnapshotTaker(
                session: session, plan: plan, format: command.format, skips: command.plugins.skips, staging: staging)
            let failures = await session.named(await taker.take(Array(zip(frames, files))), in: draft)
            try Task.checkCancellation()
            let shots = zip(zip(frames, files), failures).map { shot, failure in
                SnapshotReport(
                    time: plan.time(of: shot.0).seconds, path: failure == nil ? shot.1.path : nil,
                    error: failure?.message)
            }
            command.report(shots)
            let failed = failures.compactMap(\.self)
            if let first = failed.first {
                throw HostError(first.code, "\(failed.count) of \(failures.count) snapshots could not be taken.")
            }
        }
    }

    private var folder: SnapshotFolder {
        SnapshotFolder(output, count: number, format: format, overwrites: overwrite)
    }

    private func report(_ shots: [SnapshotReport]) {
        if json { return Console.say(prettyJSON(["snapshots": shots])) }
        for shot in shots {
            if let path = shot.path { Console.say("\(path)  \(shot.forPeople) s") }
            if let error = shot.error { Console.complain("the snapshot at \(shot.forPeople) s: \(error)") }
        }
    }
}

struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover", abstract: "Write the frame of a script or draft at a time as a picture.",
        discussion: "It is an error if there is no frame at that time.")

    @OptionGroup var input: DraftInput
    @OptionGroup var moment: MomentOption
    @Option(
        name: .shortAndLong, help: ArgumentHelp("The picture to write: .png or .jpg.", valueName: "file"),
        completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var output: String
    @Flag(help: "Use the whole timeline, not only the draft's time_range.")
    var whole = false
    @Flag(name: [.long, .customShort("y")], help: "Replace the picture if it exists.")
    var overwrite = false
    @Flag(help: "Print the result as JSON.")
    var json = false
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup(title: "Plugins") var plugins: PluginPolicy
    @OptionGroup var farm: RenderFarmOptions

    func validate() throws { try farm.checkMap() }

    func run() async throws {
        let command = self
        let file = { @Sendable in try OutputFile(single: command.output, overwrites: command.overwrite) }
        let staging = StagingFolder(for: try file())
        try await withSession(farm, writable: [staging.path], isParanoid: plugins.paranoid) { session in
            try staging.make()
            defer { staging.remove() }
            let suffix = (command.output as NSString).pathExtension
            guard let format = StillFormat(suffix: suffix) else {
                throw HostError(
                    .usage, "The output ‘\(command.output)’ ends in ‘.\(suffix)’, but must end in .png or .jpg.")
            }
            let time = command.moment.time
            let file = try file()
            var draft = try await command.input.load(session, command.caching)
            if command.whole { draft.timeRange = nil }
            try await session.sayWarnings(of: draft, in: nil)
            try file.refuse(session.readFiles)
            let plan = try SnapshotPlan(draft, catalog: session.catalog, whole: command.whole)
            let frame = try plan.checkedFrame(at: time)
            let taker = SnapshotTaker(
                session: session, plan: plan, format: format, skips: command.plugins.skips, staging: staging)
            if let failure = await session.named(await taker.take([(frame, file)]), in: draft)[0] { throw failure }
            let report = SnapshotReport(time: plan.time(of: frame).seconds, path: file.path)
            Console.say(command.json ? prettyJSON(report) : file.path)
        }
    }
}

extension StillFormat: ExpressibleByArgument {
    public init?(argument: String) { self.init(suffix: argument) }
    /// By their most common file extensions.
    public static var allValueStrings: [String] { allCases.map(\.suffix) }
    /// They need no description.
    public static var allValueDescriptions: [String: String] { [:] }
    public var defaultValueDescription: String { suffix }
}
