import Draft
import TestSupport
import Testing

@testable import Scripting

/// The example scripts make valid drafts. That they render is tested where workers are.
@Suite struct ExampleTests {
    @Test(arguments: [
        "ten_lines", "demo", "transitions", "looks", "titles", "animation", "highlights", "audio", "effects",
        "sound_effects", "sources", "follow_face",
        "stabilise", "filters", "voice_over", "audiogram", "speed_ramp", "picture_in_picture", "reframe", "duet",
        "slideshow", "mosaic", "text_behind", "subtitles", "karaoke", "typing", "credits", "lower_third",
        "turning_frame",
    ])
    func `an example makes a valid draft`(name: String) throws {
        let result = try Script.run(path: Project.root + "/Scripts/\(name).lua", environment: TestEnvironment())
        #expect(result.draft.validate(result.catalog) == [])
        #expect(result.draft.warnings(result.catalog) == [])
        #expect(!result.draft.hasFunctions)
        let other = try Script.run(
            path: Project.root + "/Scripts/\(name).lua", parameters: ["media": ["/elsewhere"]],
            environment: TestEnvironment())
        #expect(other.draft.files.allSatisfy { $0.path.hasPrefix("/elsewhere/") })
    }
}
