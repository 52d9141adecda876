import ArgumentParser
import Draft
import Editor
import Farm
import Foundation
import HostCore
import Values
import Web

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Preview a script in the browser while you edit it.",
        discussion: """
            The page is served to this machine only, unless --listen says otherwise, and only to browsers that have its full address.
            It updates when the script, its modules, its media, looks or fonts change. Press Ctrl-C to quit.
            """)

    @OptionGroup var input: DraftInput
    @Option(help: ArgumentHelp("The port. Default: any free port.", valueName: "number"))
    var port: UInt16 = 0
    @Option(
        name: .customLong("listen"),
        help: ArgumentHelp(
            "The IPv4 address to serve the page at, such as 192.168.1.5, or 0.0.0.0 for all addresses of this machine. Without --certificate the connection is not encrypted: use it only in networks that you trust.",
            valueName: "address"))
    var address = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "A certificate in PEM form, to serve the page over HTTPS. Browsers on other machines can then use their cameras and microphones.",
            valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
    var certificate: String?
    @Option(
        help: ArgumentHelp(
            "The certificate's private key in PEM form. Default: the certificate's file.", valueName: "file"),
        completion: .file(extensions: ["pem", "key"]))
    var certificateKey: String?
    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true
    @Flag(help: "Let pages on other machines record the screen, the microphone and the cameras of this machine.")
    var allowRecord = false
    @Option(
        help: ArgumentHelp(
            "A folder whose media files the page lists; may be given several times. Default: the folders of the draft's files.",
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
        guard certificate != nil || certificateKey == nil else {
            throw ValidationError("‘--certificate-key’ needs ‘--certificate’.")
        }
    }

    private func options(_ certificate: Certificate?) -> EditorOptions {
        EditorOptions(
            input: input, caching: caching, policy: policy, media: media, address: address, port: port,
            certificate: certificate, opensBrowser: open, allowsDevices: allowRecord,
            pageFolder: pageFolder, workers: farm.workerOptions.count)
    }

    private func checkMedia() throws(HostError) {
        for folder in media {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
                throw HostError(.noInput, "The folder ‘\(folder)’ does not exist (--media).")
            }
            guard isFolder.boolValue else {
                throw HostError(.noInput, "‘\(folder)’ is not a folder; --media needs one.")
            }
        }
    }

    /// A draft that is recorded first.
    private var isNewDraft: Bool {
        let path = absolutePath(input.path, in: FileManager.default.currentDirectoryPath)
        var isFolder: ObjCBool = false
        let folder = (path as NSString).deletingLastPathComponent
        return path.lowercased().hasSuffix(".cutroom") && !FileManager.default.fileExists(atPath: path)
            && FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
    }

    func run() async throws {
        try await reportingErrors(verbose: farm.verbose) {
            guard !input.isStandardInput else {
                throw HostError(.usage, "‘cutroom edit’ watches a file for changes, and cannot watch standard input.")
            }
            // The page shows errors in the file; without a file there is nothing to show.
            if !isNewDraft { try input.checkIsThere() }
            try checkMedia()
            let certificate = try certificate.map { path throws(HostError) in
                try Certificate(path, key: certificateKey)
            }
            let cache = try SegmentCache(keeps: !caching.noCache, bound: try caching.bound, log: farm.logger)
            let session: HostSession
            do {
                // One more than for background work, so that a worker is free for urgent requests.
                var farm = farm
                farm.workerOptions.workers = farm.workerOptions.count + 1
                session = try HostSession(farm, writable: [cache.partsFolder], isParanoid: policy.paranoid)
            } catch {
                await cache.close()
                throw error
            }
            try await session.run {
                try await EditorServer(options(certificate), session, cache).run()
            } afterwards: {
                await cache.close()
            }
        }
    }
}

/// The worker options of an editor.
struct EditFarmOptions: SessionOptions {
    @OptionGroup(title: "Plugins") var plugins: PluginSearchOptions
    @OptionGroup(title: "Workers") var workerOptions: WorkerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions

    mutating func validate() throws { try workerOptions.check(hasOthers: false) }
}
