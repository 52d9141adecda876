import Foundation
import TestSupport
import Testing
import Values

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
                "{ type = 'color', default = '#fff' }", "reddish",
                "--set x: the value is ‘reddish’, but must be a colour such as \"#ff8800\" or \"orange\""
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
            "parameter ‘x’: ‘type’ is ‘text’; did you mean ‘string’?"
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

    // MARK: Lists

    private static let photos = """
        local cutroom = require 'cutroom'
        local p = cutroom.params { photo = { type = 'path', list = true, default = { 'one.jpg' } }, n = { type = 'integer', list = true, min = 1, default = {} } }
        assert(#p.n == select('#', table.unpack(p.n)))
        return cutroom.draft('a.mp4')
        """

    @Test func `a list takes each value that is given`() throws {
        let here = FileManager.default.currentDirectoryPath
        func values(_ given: [String: [String]]) throws -> [String: Value] {
            let made = try run(Self.photos, set: given).parameters
            return Dictionary(uniqueKeysWithValues: made.map { ($0.name, $0.value) })
        }
        let usual = try values([:])
        #expect(usual["n"] == .array([]))
        guard case .array(let items)? = usual["photo"] else { throw Problem("photo", "is no list") }
        #expect(
            items.count == 1 && items[0].text?.hasSuffix("/one.jpg") == true && items[0].text?.hasPrefix("/") == true)
        let given = try values(["photo": ["b.jpg", "a.jpg"], "n": ["3"]])
        #expect(
            given["photo"]
                == .array([.string(absolutePath("b.jpg", in: here)), .string(absolutePath("a.jpg", in: here))]))
        #expect(given["n"] == .array([3]))
    }

    @Test func `a list's wrong values are refused, and two values of what is none`() {
        #expect(
            failure(Self.photos, set: ["n": ["3", "0"]])?.description
                == "edit.lua:2: --set n: the value is 0, but must be at least 1")
        let scalar =
            "local cutroom = require 'cutroom'\ncutroom.params { x = { type = 'string', default = '' } } return cutroom.draft('a.mp4')"
        #expect(
            failure(scalar, set: ["x": ["a", "b"]])?.description
                == "edit.lua:2: --set x is given 2 times, but the parameter has one value")
        for (declaration, message) in [
            ("default = 'a'", "its default is ‘a’, but must be a list, as it is one itself"),
            ("default = { 1 }", "item 1 of its default is 1, but must be a text"),
        ] {
            let error = failure("require('cutroom').params { x = { type = 'string', list = true, \(declaration) } }")
            #expect(error?.object == "parameter ‘x’" && error?.message == message)
        }
        #expect(
            failure("require('cutroom').params { x = { type = 'list' } }")?.message
                == "‘type’ is ‘list’; a list is a type with ‘list = true’ beside it")
        #expect(
            failure("require('cutroom').params { x = { type = 'path', list = true } }")?.message
                == "the parameter ‘x’ has no value; give one or more with --set x=…")
    }

    @Test func `a missing value and a name that is nearly the same are told of together`() {
        let script =
            "local cutroom = require 'cutroom'\ncutroom.params { name = { type = 'string' } } return cutroom.draft('a.mp4')"
        let error = failure(script, set: ["Name": "x"])
        #expect(
            error?.description
                == "edit.lua:2: the parameter ‘name’ has no value, and there is no parameter ‘Name’ (--set Name=…); did you mean --set name=…?"
        )
        #expect(error?.code == .parameter)
        #expect(
            failure(script, set: ["other": "x", "also": "y"])?.description
                == "edit.lua:2: the parameter ‘name’ has no value; give one with --set name=…, and no parameter here is called ‘also’, ‘other’"
        )
    }

    @Test func `a colour's name is seen as its numbers`() throws {
        #expect(try value("{ type = 'color', default = 'red' }", nil) == "#ff0000")
        #expect(try value("{ type = 'color', default = '#fff' }", "Navy") == "#000080")
    }

    // MARK: Description

    private func describe(_ text: String, set given: [String: [String]] = [:]) throws -> ScriptDescription {
        try TemporaryFolder.with { folder in
            try folder.write(text, to: "edit.lua")
            return try Script.describe(path: folder.file("edit.lua"), parameters: given, environment: TestEnvironment())
        }
    }

    @Test func `what a script declares is described with what it needs`() throws {
        let script = """
            local cutroom = require 'cutroom'
            local p = cutroom.params {
              title = { type = 'string', help = 'the opening' }, side = { type = 'string', choices = { 'left', 'right' }, default = 'left' },
              photo = { type = 'path', list = true, default = { 'a.jpg' } }, count = { type = 'integer', min = 1, max = 9, default = 3 },
            }
            cutroom.params { later = { type = 'boolean', default = true } }
            return cutroom.draft('a.mp4')
            """
        let cut = try describe(script)
        #expect(cut.parameters.map(\.name) == ["count", "photo", "side", "title"])
        #expect(
            cut.end?.line == 2 && cut.end?.message == "the parameter ‘title’ has no value; give one with --set title=…")
        let whole = try describe(script, set: ["title": ["x"]])
        #expect(whole.parameters.map(\.name) == ["count", "photo", "side", "title", "later"] && whole.end == nil)
        let schema = whole.schema(title: "edit.lua")
        #expect(
            schema.json == """
                {
                  "$schema": "https://json-schema.org/draft/2020-12/schema",
                  "additionalProperties": false,
                  "properties": {
                    "count": {
                      "default": 3,
                      "maximum": 9,
                      "minimum": 1,
                      "type": "integer"
                    },
                    "later": {
                      "default": true,
                      "type": "boolean"
                    },
                    "photo": {
                      "default": ["a.jpg"],
                      "items": {
                        "format": "path",
                        "type": "string"
                      },
                      "type": "array"
                    },
                    "side": {
                      "default": "left",
                      "enum": ["left", "right"],
                      "type": "string"
                    },
                    "title": {
                      "description": "the opening",
                      "type": "string"
                    }
                  },
                  "required": ["title"],
                  "title": "edit.lua",
                  "type": "object"
                }

                """)
    }

    @Test func `an error before a declaration, and a value that does not fit, are errors of a description`() {
        func code(_ text: String, set given: [String: [String]] = [:]) -> ScriptError.Code? {
            do { _ = try describe(text, set: given) } catch { return (error as? ScriptError)?.code }
            return nil
        }
        let number = "require('cutroom').params { n = { type = 'number', default = 1 } }"
        #expect(code("error 'x'") == .runtime && code("local =") == .syntax)
        #expect(code(number, set: ["n": ["many"]]) == .parameter && code(number, set: ["m": ["1"]]) == .parameter)
        #expect(code(number + " error 'x'") == nil && code("return 7") == nil)
    }
}
