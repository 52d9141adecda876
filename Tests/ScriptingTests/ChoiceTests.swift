import Draft
import Testing
import Values

@testable import Scripting

/// Choices leave a script as names, whatever it gave.
@Suite struct ChoiceTests {
    @Test(arguments: [
        #"{ { 0, "soft" }, { 1, "hard", "ease_in" } }"#,
        "cutroom.map({ { 0, 0 }, { 1, 2 } }, function(x) return x end)",
    ])
    func `keys of a choice are names`(mode: String) throws {
        let environment = TestEnvironment()
        let draft = try run(
            """
            local cutroom = require 'cutroom'
            local draft = cutroom.draft 'a.mp4'
            local effect = draft:add_effect('org.test.chooser', { mode = \(mode), range = { 0, 2 } })
            print(effect.mode[2][1], effect.mode[2][2])
            return draft
            """, environment: environment
        ).draft
        #expect(environment.lines == ["1\thard"])
        #expect(
            draft.effects[0].plugin?.parameters["mode"]
                == .choices([
                    ChoiceKey(time: .zero, choice: "soft"), ChoiceKey(time: Time(seconds: 1)!, choice: "hard"),
                ]))
    }

    @Test func `a function's choices are names`() throws {
        let draft = try run(
            """
            local cutroom = require 'cutroom'
            local draft = cutroom.draft 'a.mp4'
            draft:add_effect('org.test.chooser', { mode = function(t) return t < 1 and 0 or 2 end, range = { 0, 2 } })
            return draft
            """
        ).draft
        guard case .choices(let keys)? = draft.effects[0].plugin?.parameters["mode"] else {
            Issue.record("\(String(describing: draft.effects[0].plugin))")
            return
        }
        #expect(Set(keys.map(\.choice)) == ["soft", "hard"] && keys.first?.choice == "soft")
    }
}
