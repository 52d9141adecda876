import Draft
import Foundation
import Testing

@testable import Scripting

@Suite struct ParameterTests {
    private func value(_ declaration: String, _ text: String?) throws -> Value? {
        let script =
            "local cutroom = require 'cutroom' local p = cutroom.params { x = \(declaration) } print(p.x) return cutroom.draft('a.mp4')"
        return try run(script, set: text.map { ["x": $0] } ?? [:]).parameters.first?.value
    }

    @Test(
        arguments: [
            ("{ type = 'string', default = 'a' }", nil, .string("a")),
            ("{ type = 'string', default = 'a' }", "b=c d", .string("b=c d")),
            ("{ type = 'string', default = 'a' }", "", .string("")),
            ("{ type = 'number', default = 1.5 }", nil, .number(1.5)),
            ("{ type = 'number', default = 1 }", "-2.5e1", .number(-25)),
            ("{ type = 'integer', default = 1 }", "12", .number(12)),
            ("{ type = 'boolean', default = false }", "yes", .bool(true)),
            ("{ type = 'boolean', default = true }", "0", .bool(false)),
            ("{ type = 'color', default = '#fff' }", "#12345678", .string("#12345678")),
            ("{ type = 'path' }", "/tmp/../x", .string("/x")),
            ("{ type = 'string', choices = { 'a', 'b' }, default = 'a' }", "b", .string("b")),
            ("{ type = 'number', min = 0, max = 1, default = 0, help = 'how much' }", "1", .number(1)),
        ] as [(String, String?, Value)])
    func `values have their type`(declaration: String, text: String?, expected: Value) throws {
        #expect(try value(declaration, text) == expected)
    }

    @Test(
        arguments: [
            ("{ type = 'number', default = 1 }", "fast", "--set x: the value is ‘fast’, but must be a number"),
            ("{ type = 'number', default = 1 }", "nan", "--set x: the value is ‘nan’, but must be a number"),
            ("{ type = 'integer', default = 1 }", "1.5", "--set x: the value is 1.5, but must be a whole number"),
            (
                "{ type = 'boolean', default = true }", "maybe",
                "--set x: the value is ‘maybe’, but must be true or false"
            ),
            (
                "{ type = 'color', default = '#fff' }", "red",
                "--set x: the value is ‘red’, but must be a colour such as \"#ff8800\""
            ),
            (
                "{ type = 'string', choices = { 'left', 'right' }, default = 'left' }", "rigth",
                "--set x: the value is ‘rigth’; did you mean ‘right’?"
            ),
            (
                "{ type = 'number', min = 0, max = 1, default = 0 }", "2",
                "--set x: the value is 2, but must be at most 1"
            ),
            (
                "{ type = 'number', min = 0, max = 1, default = 0 }", "-1",
                "--set x: the value is -1, but must be at least 0"
            ),
            ("{ type = 'string' }", nil, "the parameter ‘x’ has no value; give one with --set x=…"),
            ("{ type = 'path', default = 'x' }", "\u{0}", "--set x: the value has a zero byte in it"),
        ] as [(String, String?, String)])
    func `values that do not fit are refused`(declaration: String, text: String?, message: String) {
        let script =
            "local cutroom = require 'cutroom'\ncutroom.params { x = \(declaration) }\nreturn cutroom.draft('a.mp4')"
        let error = failure(script, set: text.map { ["x": $0] } ?? [:])
        #expect(error?.description == "edit.lua:2: \(message)")
        #expect(error?.code == .parameter)
    }

    @Test(arguments: [
        ("7", "cutroom.params wants a table such as { title = { type = \"string\", default = \"Hello\" } }"),
        (
            "{ x = 'Hello' }",
            "parameter ‘x’: is ‘Hello’, but must be a table such as { type = \"string\", default = \"Hello\" }"
        ),
        (
            "{ x = {} }",
            "parameter ‘x’: is a list, but must be a table such as { type = \"string\", default = \"Hello\" }"
        ),
        ("{ x = { default = 1 } }", "parameter ‘x’: needs a ‘type’: string, number, integer, boolean, color, path"),
        (
            "{ x = { type = 'text' } }",
            "parameter ‘x’: ‘type’ is ‘text’; there are boolean, color, integer, number, path, string"
        ),
        ("{ x = { type = 'number', defualt = 1 } }", "parameter ‘x’: has no option ‘defualt’; did you mean ‘default’?"),
        ("{ x = { type = 'number', default = 'a' } }", "parameter ‘x’: its default is ‘a’, but must be a number"),
        ("{ x = { type = 'number', default = 3, max = 2 } }", "parameter ‘x’: its default is 3, but must be at most 2"),
        (
            "{ x = { type = 'string', default = 'c', choices = { 'a', 1 } } }",
            "parameter ‘x’: one of its choices is 1, but must be a text"
        ),
    ])
    func `declarations are checked`(declaration: String, message: String) {
        let error = failure("local cutroom = require 'cutroom'\ncutroom.params(\(declaration))")
        #expect(error?.description == "edit.lua:2: \(message)")
    }

    @Test func `unknown names are refused with the nearest one`() {
        let script =
            "local cutroom = require 'cutroom' cutroom.params { title = { type = 'string', default = '' } } return cutroom.draft('a.mp4')"
        let error = failure(script, set: ["titel": "x"])
        #expect(error?.description == "edit.lua: --set titel: there is no parameter ‘titel’; did you mean ‘title’?")
        #expect(error?.code == .parameter)
        let none = failure("\(twoClips) return draft", set: ["x": "1"])
        #expect(none?.message == "--set x: there is no parameter ‘x’; the script declares none")
        let read = failure(
            "local p = require('cutroom').params { title = { type = 'string', default = '' } }\nprint(p.titel)")
        #expect(read?.description == "edit.lua:2: the script declares no parameter ‘titel’; did you mean ‘title’?")
        let twice = failure(
            "local c = require('cutroom')\nc.params { a = { type = 'number', default = 1 } }\nc.params { a = { type = 'number', default = 1 } }"
        )
        #expect(twice?.description == "edit.lua:3: the parameter ‘a’ is declared twice")
    }

    @Test func `a path's default is beside the script, a given one in the working folder`() throws {
        let here = FileManager.default.currentDirectoryPath
        let initial = try #require(try value("{ type = 'path', default = 'media' }", nil)?.text)
        #expect(initial.hasSuffix("/media") && !initial.hasPrefix(here))
        #expect(try value("{ type = 'path', default = 'media' }", "media") == .string(absolutePath("media", in: here)))
    }
}
