import TestSupport
import Testing

@testable import HostCore

@Suite struct MissingFileTests {
    @Test(arguments: [
        ("A.mp4", "a.mp4"), ("a.MP4", "a.mp4"), ("a.mov", "a.mp4"), ("openin.mp4", "opening.mp4"),
        ("Openning.mp4", "opening.mp4"),
        ("b.mp4", nil), ("opening2.wav", nil), ("x", nil), (".hid", nil),
    ])
    func `the name that was meant`(name: String, meant: String?) {
        #expect(MissingFile.near(name, in: ["a.mp4", "opening.mp4", "photo.jpg"]) == meant)
    }

    @Test func `who misses a script is given a script, or the same name`() {
        let names = ["a.mp4", "cut.mp4", "cut.lua", "ok.lua"]
        for (name, meant) in [
            ("A.mp4", "a.mp4"), ("OK.lua", "ok.lua"), ("cut", "cut.lua"), ("cutt.lua", "cut.lua"), ("zebra.lua", nil),
        ] {
            #expect(MissingFile.near(name, in: names, isScript: true) == meant, "\(name)")
        }
    }

    /// A path of 32 KB used to take a minute.
    @Test func `a path longer than any is not looked for`() {
        #expect(MissingFile.hint("/" + String(repeating: "a/", count: 16_384) + "b") == "")
        #expect(MissingFile.hint("/" + String(repeating: "a/", count: 2000) + "b") == "")
    }

    @Test func `the first part of a path that is not there is looked for`() throws {
        try TemporaryFolder.with { folder in
            try folder.write("", to: "clips/day/a.mp4")
            #expect(MissingFile.hint(folder.file("clips/day/A.mp4")) == "; did you mean ‘a.mp4’?")
            #expect(MissingFile.hint(folder.file("clip/day/a.mp4")) == "; did you mean ‘clips’?")
            #expect(MissingFile.hint(folder.file("clips/day/a.mp4")) == "", "it is there")
            #expect(MissingFile.hint(folder.file("other/a.mp4")) == "" && MissingFile.hint("/") == "")
            #expect(MissingFile.hint(folder.file("clips/day/a.mp4/b")) == "", "a file has nothing in it")
        }
    }
}
