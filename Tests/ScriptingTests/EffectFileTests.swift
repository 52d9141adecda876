import Draft
import Testing

@testable import Scripting

/// What a plugin's descriptor calls a path is a file of the draft, as are a title's font and a text
/// parameter `image`.
@Suite struct EffectFileTests {
    private static func reader(_ options: String) -> String {
        "draft:add_effect('org.test.reader', { \(options) })\nreturn draft"
    }

    @Test(arguments: ["image = 'photo.png'", "model = 'photo.png'"])
    func itIsRelativeToTheScriptAndLookedFor(options: String) throws {
        let environment = TestEnvironment()
        let draft = try run(twoClips + Self.reader(options), environment: environment).draft
        let file = try #require(draft.files.first { $0.path.hasSuffix("/photo.png") })
        #expect(file.content == .data && file.path.hasPrefix("/") && environment.probed.contains(file.path))
        #expect(draft.effects[0].plugin?.files == [file])
    }

    @Test(arguments: [
        reader("image = 'absent.png'"), reader("model = 'absent.png'"),
        "draft:add_clip('a.mp4', { effects = { { 'org.test.reader', { model = 'absent.png' } } } })",
        "draft:add_title('x', { font_file = 'absent.png' })",
        "draft:add_clip('a.mp4', { transition = { kind = 'org.test.joiner', duration = 1, map = 'absent.png' } })",
    ])
    func aMissingOneIsAnErrorAtItsLine(call: String) {
        let error = failure(twoClips + call)
        #expect(error?.message.contains("there is no file") == true && error?.message.contains("absent.png") == true)
        #expect(error?.line == 3)
    }

    @Test func otherTextsAreNone() throws {
        let environment = TestEnvironment()
        let draft = try run(twoClips + Self.reader("note = 'absent.png', model = ''"), environment: environment).draft
        #expect(draft.files.count == 2 && environment.probed.count == 2)
    }

    @Test func settingOneLooksForTheNewFile() throws {
        let change =
            "draft.effects[1].model = 'look.png'\nassert(draft.effects[1].model:sub(-9) == '/look.png')\nreturn draft"
        let draft = try run(twoClips + "draft:add_effect('org.test.reader', { model = 'photo.png' })\n" + change).draft
        #expect(draft.files.last?.path.hasSuffix("/look.png") == true)
        #expect(
            failure(twoClips + "draft:add_effect('org.test.reader')\ndraft.effects[1].model = 'absent.bin'")?.line == 4)
    }

    /// One file can be both: looked into as media, and only told apart for a plugin.
    @Test func oneFileInTwoRoles() throws {
        let draft = try run(twoClips + Self.reader("model = 'a.mp4'")).draft
        #expect(draft.files.map(\.content) == [.media, .media, .data] && draft.files[0].path == draft.files[2].path)
    }
}
