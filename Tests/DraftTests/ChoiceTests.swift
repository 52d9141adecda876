import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Choices that change with time keep their names, so a plugin may insert a choice without changing
/// what documents show.
@Suite struct ChoiceTests {
    private static func effect(_ choices: [String]) -> EffectDescriptor {
        RandomDraft.effect(
            "org.test.chooser", .pure,
            [
                ParameterDescriptor(
                    id: "mode", kind: .enum, label: "", unit: "", help: "", isAnimatable: true, minimum: 0, maximum: 0,
                    initial: [0], initialText: "", choices: choices), RandomDraft.amount,
            ])
    }

    private func draft(mode: String, _ effect: EffectDescriptor) throws -> Draft {
        let text =
            #"{"cutroom": 2, "clips": [{"media": "a.mp4"}], "effects": [{"kind": "filter", "effect": "org.test.chooser", "parameters": {"mode": \#(mode)}}]}"#
        return try Draft(document: Data(text.utf8), file: "x.cutroom", folder: "/q", plugins: [effect])
    }

    private func mode(_ draft: Draft) -> ParameterValue? { draft.effects[0].plugin?.parameters["mode"] }

    @Test func `a document of indices is saved with names, which survive an inserted choice`() throws {
        let old = Self.effect(["soft", "hard"])
        for written in [#"[["0s", 0], ["2s", 1, "ease_in"]]"#, #"[["0s", "soft"], ["2s", "hard"]]"#] {
            let draft = try draft(mode: written, old)
            let names: ParameterValue = .choices([
                ChoiceKey(time: .zero, choice: "soft"), ChoiceKey(time: seconds(2), choice: "hard"),
            ])
            #expect(mode(draft) == names)
            let saved = draft.document(in: "/q")
            #expect(saved.contains(#"["2s", "hard"]"#), "\(saved)")
            let new = Self.effect(["sharp", "soft", "hard"])
            let read = try Draft(document: Data(saved.utf8), file: "x.cutroom", folder: "/q", plugins: [new])
            #expect(read == draft)
            #expect(read.effects[0].plugin?.problems(as: [.filter], [new]) == [])
        }
        let constant = try draft(mode: "1", old)
        #expect(mode(constant) == .text("hard"))
    }

    @Test func `a draft in a draft and a transition are saved with names too`() throws {
        let parameters = #""parameters": {"mode": [["0s", 1], ["1s", 0]]}"#
        let inner =
            #"{"clips": [{"media": "a.mp4"}, {"media": "a.mp4", "transition": {"kind": "plugin", "effect": "org.test.chooser", "duration": "1s", \#(parameters)}}]}"#
        let text = #"{"cutroom": 2, "clips": [{"draft": \#(inner)}]}"#
        let draft = try Draft(
            document: Data(text.utf8), file: "x", folder: "/q", plugins: [Self.effect(["soft", "hard"])])
        let saved = draft.document(in: "/q").filter { !$0.isWhitespace }
        #expect(saved.contains(#""mode":[["0s","hard"],["1s","soft"]]"#), "\(saved)")
    }

    @Test func `a choice holds until the next key`() {
        let keys = [
            ChoiceKey(time: seconds(1), choice: "soft"), ChoiceKey(time: seconds(2), choice: "hard"),
            ChoiceKey(time: seconds(3), choice: "hard"), ChoiceKey(time: seconds(4), choice: "soft"),
        ]
        #expect(
            [0, 1, 1.5, 2, 3.9, 4, 9].map { keys.choice(at: seconds($0)) }
                == ["soft", "soft", "soft", "hard", "hard", "soft", "soft"])
        #expect(keys.settled(in: range(0, 2)) == .text("soft"))
        #expect(keys.settled(in: range(2.5, 1)) == .text("hard"))
        #expect(keys.settled(in: range(1.5, 1)) == .choices(Array(keys[0...1])))
        #expect(keys.settled(in: range(8, 1)) == .text("soft"))
        // Cut or not, a choice is the same at each time.
        for start in stride(from: 0.0, through: 5, by: 0.25) {
            for length in stride(from: 0.25, through: 3, by: 0.5) {
                let cut = keys.settled(in: range(start, length))
                for time in stride(from: start, to: start + length, by: 0.25) {
                    let found =
                        switch cut {
                        case .text(let text): text
                        case .choices(let keys): keys.choice(at: seconds(time))
                        default: ""
                        }
                    #expect(found == keys.choice(at: seconds(time)), "\(start) \(length) \(time)")
                }
            }
        }
    }

    @Test func `names that are no choices are refused, in keys as elsewhere`() throws {
        let effect = Self.effect(["soft", "hard"])
        let draft = try draft(mode: #"[["0s", "sofd"], ["1s", "hard"]]"#, effect)
        #expect(
            draft.effects[0].plugin?.problems(as: [.filter], [effect]) == ["‘mode’ is ‘sofd’; did you mean ‘soft’?"])
        let index = try self.draft(mode: #"[["0s", 2], ["1s", 1]]"#, effect)
        #expect(
            index.effects[0].plugin?.problems(as: [.filter], [effect]) == ["‘mode’ is 2, but must be one of soft, hard"]
        )
        var amount = PluginEffect(effectID: effect.id)
        amount.parameters["amount"] = .choices([ChoiceKey(time: .zero, choice: "much")])
        #expect(
            amount.problems(as: [.filter], [effect]) == ["‘amount’ has ‘much’ in a key, but must have numbers there"])
        #expect(throws: Problems.self) { try self.draft(mode: #"[["0s", "soft"], ["1s", 1]]"#, effect) }
        var fixed = effect.parameters[0]
        fixed.isAnimatable = false
        #expect(fixed.refusal(of: .choices([ChoiceKey(time: .zero, choice: "soft")])) == "cannot change with time")
    }
}
