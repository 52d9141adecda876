import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom params`, and lists that `--set` fills.
    @Suite struct ParamsTests {
        private static let script = """
            local cutroom = require "cutroom"
            local params = cutroom.params {
              photo = { type = "path", list = true, help = "what is shown" },
              seconds = { type = "number", min = 0.1, max = 9, default = 0.2 },
              tint = { type = "color", default = "navy" },
            }
            local draft = cutroom.draft { size = { 64, 64 }, fps = 10, background = params.tint }
            for _, path in ipairs(params.photo) do draft:add_image(path, { duration = params.seconds }) end
            return draft

            """

        @Test func `the parameters of a script are listed without their values`() throws {
            let studio = try Studio()
            try studio.folder.write(Self.script, to: "edit.lua")
            let list = try studio.run(["params", "edit.lua"])
            #expect(list.status == 0, "\(list)")
            #expect(
                list.text == """
                    photo    list of paths    needed  what is shown
                    seconds  number, 0.1 … 9  0.2
                    tint     color            "navy"

                    """)
            #expect(
                list.stderr.contains(
                    "edit.lua:2: the parameter ‘photo’ has no value; give one or more with --set photo=…"), "\(list)")
            let json = try studio.run(["params", "edit.lua", "--json"])
            let schema = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
            #expect(schema?["required"] as? [String] == ["photo"], "\(json)")
            let properties = schema?["properties"] as? [String: [String: Any]]
            #expect(
                properties?["photo"]?["type"] as? String == "array"
                    && properties?["seconds"]?["minimum"] as? Double == 0.1)
        }

        @Test func `a list is given one value at a time`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.folder.write(Self.script, to: "edit.lua")
            let check = try studio.run(["check", "edit.lua", "--set", "photo=still.png", "--set", "photo=still.png"])
            #expect(check.status == 0 && check.text.contains("0.4 s") && check.text.contains("2 clips"), "\(check)")
            let whole = try studio.run(["params", "edit.lua", "--set", "photo=still.png"])
            #expect(whole.status == 0 && whole.stderr == "", "\(whole)")
            let none = try studio.run(["params", "good.lua"])
            #expect(none.status == 0 && none.text == "" && none.stderr.contains("declares no parameters"), "\(none)")
        }

        @Test func `a rate is told as people write it`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.folder.write(
                "return require 'cutroom'.draft('good.mp4', { fps = 29.97, max = 64 })", to: "edit.lua")
            let check = try studio.run(["check", "edit.lua"])
            #expect(check.status == 0 && check.text.contains("64×") && check.text.contains(" at 29.97 fps"), "\(check)")
        }
    }
}
