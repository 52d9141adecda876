import Draft
import Foundation
import TestSupport
import Testing

@testable import HostCore
@testable import ServerClient

/// An output never replaces an input of the draft.
@Suite struct ReadFilesTests {
    @Test func `a file is known under every name`() throws {
        try TemporaryFolder.with { folder in
            let source = try folder.write("film", to: "a.mp4")
            let other = try folder.write("film", to: "b.mp4")
            try FileManager.default.linkItem(atPath: source, toPath: folder.file("hard.mp4"))
            try FileManager.default.createSymbolicLink(atPath: folder.file("soft.mp4"), withDestinationPath: source)
            let read = ReadFiles([source, folder.file("gone.mp4")])
            let error = #expect(throws: HostError.self) { try read.refuse(source) }
            #expect(
                error?.message
                    == "The output ‘\(source)’ is a file that the draft is made from; give another name.")
            for name in ["hard.mp4", "soft.mp4"] {
                let error = #expect(throws: HostError.self) { try read.refuse(folder.file(name)) }
                #expect(error?.code == .cannotCreate)
                #expect(
                    error?.message.contains("is the same file as ‘\(source)’, a file that the draft is made from")
                        == true)
            }
            try read.refuse(other)
            try read.refuse(folder.file("gone.mp4"))
            try read.refuse(folder.file("new.mp4"))
        }
    }

    @Test func `each picture of a sequence is looked at`() throws {
        try TemporaryFolder.with { folder in
            let source = try folder.write("picture", to: "frame-003.png")
            let output = try OutputFile(
                folder.file("frame-%03d.png"), input: "edit.lua", container: nil, overwrites: true)
            let read = ReadFiles([source])
            try output.refuse(read, count: 2)
            let error = #expect(throws: HostError.self) { try output.refuse(read, count: 3) }
            #expect(error?.message.contains("frame-003.png’ is a file that the draft is made from") == true)
        }
    }

    @Test(arguments: [
        "out\u{0}.mp4", "edit.lua\u{0}.mp4", "a\u{1b}[2J.mp4", "a\nb.mp4", "a\u{7f}.mp4", "a\u{9b}2J.mp4",
        "\u{202e}gnp.mp4", "a\u{2066}b.mp4", "a\u{2028}b.mp4", "frames\u{0}/",
    ])
    func `an output's name has no control characters`(name: String) {
        for make in [
            { try OutputFile(name, input: "edit.lua", container: nil, overwrites: true) },
            { try OutputFile(single: name, overwrites: true) },
        ] {
            let error = #expect(throws: HostError.self) { try make() }
            #expect(error?.code == .usage)
            #expect(error?.message.hasSuffix("has a control character in its name; give a name without one.") == true)
            #expect(error?.message.hasInvisibleCommands == false, "\(String(describing: error))")
        }
    }

    @Test func `a name longer than any path is refused`() {
        let error = #expect(throws: HostError.self) {
            try OutputFile(single: String(repeating: "a/", count: 16_384) + "b.mp4", overwrites: true)
        }
        #expect(error?.message.hasSuffix("…’ is longer than 4095 bytes.") == true)
    }

    @Test func `tags have no control characters`() {
        #expect(Tags.isValid("gpu") && Tags.isValid("größe-1"))
        for tag in ["a\u{1b}b", "a\u{0}", "\u{202e}a", "a\u{85}", "a\u{2067}"] { #expect(!Tags.isValid(tag)) }
        #expect(!Tags.problem("\u{1b}[2J", "--tag").hasInvisibleCommands)
    }
}
