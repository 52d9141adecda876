import ArgumentParser
import Draft
import Editor
import Farm
import Foundation
import HostCore

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Show what a script makes in the browser, while it is being written.",
        discussion: """
            The page is served to this machine alone, unless --listen says otherwise, and to who has its address. Each change of the
            script, its modules, media, looks and fonts is shown at once. Ctrl-C ends it.
            """)

    @OptionGroup var input: DraftInput
    @Option(help: ArgumentHelp("The port; default: one that is free.", valueName: "number"))
    var port: UInt16 = 0
    @Option(
        name: .customLong("listen"),
        help: ArgumentHelp(
            "The address at which the page is served, such as 192.168.1.5, or 0.0.0.0 for all of this machine's. Nothing is encrypted: for networks that one trusts.",
            valueName: "address"))
    var address = "127.0.0.1"
    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true
    @Option(
        help: ArgumentHelp(
            "A folder whose media the page shows; may be given several times. Default: the folders of the draft's files.",
            valueName: "folder"), completion: .directory)
    var media: [String] = []
    @Option(help: ArgumentHelp(visibility: .hidden))
    var pageFolder: String?
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup(title: "Plugins") var policy: PluginPolicy
    @OptionGroup var farm: EditFarmOptions

    func validate() throws {
        guard WebAddress(address, port: port) != nil else {
            throw ValidationError("‘--listen’ is ‘\(address)’, but must be an IPv4 address such as 127.0.0.1.")
        }
    }

    private var options: EditorOptions {
        EditorOptions(
            input: input, caching: caching, policy: policy, media: media, address: address, port: port,
            opensBrowser: open, pageFolder: pageFolder, workers: farm.workerOptions.count)
    }

    private func checkMedia() throws(HostError) {
        for folder in media {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
                throw HostError(.noInput, "There is no folder ‘\(folder)’ (--media).")
            }
            guard isFolder.boolValue else {
                throw HostError(.noInput, "‘\(folder)’ is not a folder; --media names one.")
            }
        }
    }

    func run() async throws {
        try await reportingErrors(verbose: farm.verbose) {
            guard !input.isStandardInput else {
                throw HostError(.usage, "‘cutroom edit’ watches a file; standard input cannot be watched.")
            }
            // What is wrong in the file is shown by the page; a page without a file helps nobody.
            try input.checkIsThere()
            try checkMedia()
            let cache = try SegmentCache(keeps: !caching.noCache, bound: try caching.bound, log: farm.logger)
            let session: HostSession
            do {
                // One more than work on what nobody waits for yet: what somebody waits for finds one that is free.
                var farm = farm
                farm.workerOptions.workers = farm.workerOptions.count + 1
                session = try HostSession(farm, writable: [cache.partsFolder], isParanoid: policy.paranoid)
            } catch {
                await cache.close()
                throw error
            }
            try await session.run {
                try await EditorServer(options, session, cache).run()
            } afterwards: {
                await cache.close()
            }
        }
    }
}

/// The options of an editor about its workers.
struct EditFarmOptions: SessionOptions {
    @OptionGroup(title: "Plugins") var plugins: PluginSearchOptions
    @OptionGroup(title: "Workers") var workerOptions: WorkerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions

    mutating func validate() throws { try workerOptions.check(hasOthers: false) }
}
