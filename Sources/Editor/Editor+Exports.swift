import Composition
import Delivery
import Foundation
import HostCore
import Values

/// Files that the editor writes at a page's request.
extension Editor {
    /// A page's request for an export.
    package struct ExportWish: Decodable {
        var output: String
        var overwrite: Bool?
        var options: Options?

        struct Options: Decodable {
            var codec: String?
            var quality: Double?
            package var bitRate: Rate?
            var preset: String?
            var profile: String?
            var audioCodec: String?
            package var range: String?
            package var scale: Double?
        }

        /// Bits per second, as a number or in the notation of the command line.
        struct Rate: Decodable {
            var text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    text = "\(number)"
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
    }

    package func export(_ wish: ExportWish) async throws -> ExportStatus {
        guard let good = revision() else { throw WebError(409, "There is no draft yet.") }
        let options = wish.options
        let encoding = try ExportOptions.parse(
            Self.words([
                ("--codec", options?.codec), ("--quality", options?.quality.map { "\($0)" }),
                ("--bit-rate", options?.bitRate?.text), ("--preset", options?.preset), ("--profile", options?.profile),
                ("--audio-codec", options?.audioCodec),
            ]))
        let extent = try ExtentOptions.parse(
            Self.words([("--range", options?.range), ("--scale", options?.scale.map { "\($0)" })]))
        let path = try await outputPath(wish.output)
        let (overwrites, catalog, libraries) = (wish.overwrite ?? false, good.session.catalog, good.session.libraries)
        let session = good.session
        let (file, plan) = try await lane.run {
            Result {
                let file = try OutputFile(path, input: wish.output, container: nil, overwrites: overwrites)
                var draft = good.draft
                try extent.restrict(&draft, catalog)
                try encoding.change(&draft.export, in: file.container)
                try extent.check(in: file.container)
                let plan = try extent.scaled(
                    RenderPlan(draft, catalog: catalog, container: file.container, libraries: libraries))
                try file.checkPictures(plan.composition.frameCount)
                try file.refuse(session.readFiles, count: plan.composition.frameCount)
                return (file, plan)
            }
        }.get()
        return await exports.start(file, plan, good)
    }

    private static func words(_ options: [(String, String?)]) -> [String] {
        options.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    /// Returns the path of a file that a page names: below the script's folder, or below the folder
    /// where the editor was started.
    private func outputPath(_ name: String) async throws -> String {
        try OutputFile.checkName(name)
        let folder = (script as NSString).deletingLastPathComponent
        let path = absolutePath(name, in: folder) + (name.hasSuffix("/") ? "/" : "")
        let homes = [folder, FileManager.default.currentDirectoryPath].compactMap(realPath)
        let isInside = await pictures.run {
            // For a folder that does not exist yet, its parent is resolved.
            var above = (path as NSString).deletingLastPathComponent
            while realPath(above) == nil, above.count > 1 { above = (above as NSString).deletingLastPathComponent }
            guard let real = realPath(above) else { return false }
            return homes.contains { real == $0 || real.hasPrefix($0 == "/" ? $0 : $0 + "/") }
        }
        guard isInside else {
            throw WebError(
                403, "‘\(name)’ is neither in the script's folder nor in the folder where the editor was started.")
        }
        return path
    }

    /// A page's request for a cover.
    struct CoverWish: Decodable {
        package var frame: Int
        var output: String
        var overwrite: Bool?
    }

    /// Writes a frame as `cutroom cover` does.
    func cover(_ wish: CoverWish) async throws -> String {
        guard let good = revision() else { throw WebError(409, "There is no draft yet.") }
        guard (0..<good.snapshots.composition.frameCount).contains(wish.frame) else {
            throw WebError(404, "There is no frame \(wish.frame).")
        }
        let suffix = (wish.output as NSString).pathExtension
        guard let format = StillFormat(suffix: suffix) else {
            throw WebError(400, "The cover ‘\(wish.output)’ ends in ‘.\(suffix)’, but must end in .png or .jpg.")
        }
        let (path, overwrites) = (try await outputPath(wish.output), wish.overwrite ?? false)
        let session = good.session
        let file = try await pictures.run {
            Result { () throws(HostError) in
                let file = try OutputFile(single: path, overwrites: overwrites)
                try file.refuse(session.readFiles)
                return file
            }
        }.get()
        let job = good.snapshots.job(wish.frame, format: format, output: newPath("cover"))
        guard let data = try await written(job, good.session, isUrgent: true) else {
            throw WebError(503, "The picture could not be made.")
        }
        try await pictures.run { Result { () throws(HostError) in try file.write(data) } }.get()
        return file.path
    }
}
