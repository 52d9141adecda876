import Draft
import Testing

@testable import Scripting

/// Effects of libraries that are opened only when a script names them.
@Suite struct OtherEffectTests {
    @Test func `one is asked for once, when it is named, and then known`() throws {
        let environment = TestEnvironment()
        let result = try run(
            twoClips + """
                draft:add_effect("org.cutroom.vignette", {})
                local effect = draft:add_effect("other.glow", { amount = 0.25 })
                draft:add_effect("other.glow", { amount = function(t) return t / 100 end })
                print(effect.amount)
                return draft
                """, environment: environment)
        #expect(environment.otherAsked == ["other.glow"] && environment.effectsAsked == 1)
        #expect(result.catalog.effect("other.glow") != nil && result.catalog.effect("org.cutroom.vignette") != nil)
        #expect(environment.lines == ["0.25"])
    }

    @Test func `nobody is asked for what is not named`() throws {
        let environment = TestEnvironment()
        try run(twoClips + "draft:add_effect(\"org.cutroom.vignette\", {})\nreturn draft", environment: environment)
        #expect(environment.otherAsked.isEmpty)
    }

    @Test(arguments: [
        ("draft:add_effect('other.glwo', {})", "did you mean ‘other.glow’?"),
        ("draft:add_effect('other.glow', { amount = 2 })", "‘amount’ is 2, but must lie between 0 and 1"),
        ("draft:add_effect('other.broken', {})", "the library of other.broken crashes"),
        ("draft:add_clip('c.mp4', { transition = { 'other.glwo', 1 } })", "did you mean ‘other.glow’?"),
        ("draft:add_clip('c.mp4', { effects = { { 'other.glwo', {} } } })", "did you mean ‘other.glow’?"),
    ]) func `mistakes are told at their line`(line: String, words: String) {
        let error = failure(twoClips + line + "\nreturn draft")
        #expect(error?.message.contains(words) == true, "\(error as Any)")
    }

    /// A name that resembles no other gets no list of dozens of names.
    @Test func `all are not listed`() {
        let error = failure(twoClips + "draft:add_effect('nothing.like.any.of.these.at.all', {})\nreturn draft")
        #expect(
            error?.message.hasSuffix("‘nothing.like.any.of.these.at.all’; ‘cutroom plugin list’ says which there are")
                == true,
            "\(error as Any)")
    }
}
