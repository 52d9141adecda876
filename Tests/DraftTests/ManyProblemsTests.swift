import Foundation
import Testing
import Values

@testable import Draft

/// Thousands of mistakes are a hundred, and a number.
@Suite struct ManyProblemsTests {
    private func filters(_ count: Int) -> [Effect] {
        (1...count).map { .plugin("org.test.wrong\($0)") }
    }

    @Test func `the first hundred problems are reported, and how many more there are`() {
        var draft = Draft([], effects: filters(10_000))
        draft.backgroundDuration = seconds(1)
        let problems = draft.validate(Catalog())
        #expect(problems.count == 101)
        #expect(problems.last?.message == "9900 more problems are not listed")
        #expect(problems.first?.object.contains("effect 1") == true)
        draft.effects = filters(101)
        #expect(draft.validate(Catalog()).last?.message == "1 more problem is not listed")
        draft.effects = filters(100)
        #expect(draft.validate(Catalog()).count == 100)
    }

    @Test func `a document stops after a hundred problems`() {
        let entries = Array(repeating: #"{"kind": "wrong"}"#, count: 5000).joined(separator: ",")
        let error = #expect(throws: Problems.self) {
            try Draft(
                document: Data(#"{"cutroom": 2, "clips": [], "effects": [\#(entries)]}"#.utf8), file: "a.cutroom",
                folder: "/")
        }
        #expect(error?.all.count == 101)
        #expect(
            error?.all.last?.message == "4900 more entries of ‘effects’ were not looked at; mend the first 100 problems"
        )
    }

    @Test func `a document has as many clips as a script may make`() {
        let entries = Array(repeating: "{}", count: 100_001).joined(separator: ",")
        for key in ["clips", "audio", "effects"] {
            let error = #expect(throws: Problems.self) {
                try Draft(
                    document: Data(#"{"cutroom": 2, "\#(key)": [\#(entries)]}"#.utf8), file: "a.cutroom", folder: "/")
            }
            #expect(error?.all.map(\.message) == ["a draft holds at most 100000 \(key)"])
        }
    }
}
