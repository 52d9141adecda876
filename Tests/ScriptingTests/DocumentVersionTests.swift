import Draft
import Foundation
import TestSupport
import Testing

@testable import Scripting

/// Documents that `cutroom save` of an older release has written are the drafts that their scripts
/// build, and so are they after being saved again.
///
/// `Tests/Documents/Version1` has what was saved of the example scripts, with the media of
/// `Scripts/media.sh` beside it, and of `plugins.lua`, which uses plugins at every place that there
/// is.
@Suite struct DocumentVersionTests {
    private static let folder = Project.root + "/Tests/Documents/Version1"
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        .filter { $0.hasSuffix(".cutroom") }.map { String($0.dropLast(8)) }

    /// Examples whose keyframes come from analyses of real pictures by real plugins.
    private static let analysed: Set = ["follow_face", "stabilise"]

    /// With the second clip as long as the media of the examples are.
    private static let files: [String: MediaInfo] = {
        var files = TestEnvironment.files
        files["b.mp4"] = files["a.mp4"]
        return files
    }()

    /// Examples that use what came after version 1.
    private static let later: Set = [
        "audiogram", "voice_over", "picture_in_picture", "reframe", "duet", "slideshow", "speed_ramp", "subtitles",
        "karaoke",
        "typing", "credits", "lower_third", "mosaic", "text_behind", "turning_frame",
    ]

    private func read(_ name: String) throws -> DraftDocument {
        let data = try #require(FileManager.default.contents(atPath: "\(Self.folder)/\(name).cutroom"))
        return try DraftDocument(data, file: name, folder: Self.folder)
    }

    @Test func `there is one of every example`() throws {
        let scripts = try FileManager.default.contentsOfDirectory(atPath: Project.root + "/Scripts")
        let examples = scripts.filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }
            .filter { !Self.later.contains($0) }
        #expect(Set(Self.names) == Set(examples + ["plugins"]))
    }

    @Test(arguments: names) func `what was saved is what its script builds`(name: String) throws {
        var old = try read(name).draft(TestEnvironment.effects)
        let script = name == "plugins" ? "\(Self.folder)/plugins.lua" : "\(Project.root)/Scripts/\(name).lua"
        let result = try Script.run(
            path: script, parameters: ["media": [Self.folder + "/media"]],
            environment: TestEnvironment(files: Self.files)
        )
        var built = result.draft

        for folder in [Self.folder, "/", "/elsewhere"] {
            let text = Data(built.document(in: folder).utf8)
            #expect(try Draft(document: text, file: name, folder: folder) == built, "no plugin is asked")
        }
        let saved = Data(old.document(in: Self.folder).utf8)
        #expect(try Draft(document: saved, file: name, folder: Self.folder) == old)

        #expect(old.files == built.files && old.pluginIDs == built.pluginIDs)
        if Self.analysed.contains(name) {
            old.changeUses { use in use.changeValues { $1 = .constant(0) } }
            built.changeUses { use in use.changeValues { $1 = .constant(0) } }
        }
        #expect(old == built)
        #expect(old.document(in: Self.folder) == built.document(in: Self.folder))
    }

    /// The plugins that a document of version 1 names are told before it is read, and are all that
    /// it needs.
    @Test(arguments: names) func `the plugins that it names are enough`(name: String) throws {
        let document = try read(name)
        let ids = document.pluginIDs
        let needed = TestEnvironment.effects.filter { ids.contains($0.id) }
        let draft = try document.draft(needed)
        #expect(try draft == read(name).draft(TestEnvironment.effects))
        #expect(Set(draft.pluginIDs) == Set(ids) && needed.count == ids.count)
    }

    @Test func `the manual's example is a valid draft`() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/document.md", encoding: .utf8)
        let example = page.components(separatedBy: "```json\n")[1].components(separatedBy: "```")[0]
        let result = try run(
            "return require(\"cutroom\").open(\"edit.cutroom\")", files: ["edit.cutroom": example])
        #expect(result.draft.validate(result.catalog) == [])
    }

    /// Without its plugins, files and kinds of version 1 are not known; the entries are refused
    /// when the draft is checked.
    @Test func `plugins that are gone are told`() throws {
        let draft = try read("sources").draft([])
        var catalog = Catalog()
        for file in draft.files { catalog[file] = TestEnvironment(files: Self.files).probe(file) }
        let problems = draft.validate(catalog).map(\.message)
        try #require(!draft.pluginIDs.isEmpty)
        for id in draft.pluginIDs {
            #expect(problems.contains { $0.hasPrefix("no plugin has an effect ‘\(id)’") }, "\(id)")
        }
    }
}
