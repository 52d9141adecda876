import ArgumentParser

/// The option that decides what damaged media do to a render.
package struct DamagePolicy: ParsableArguments {
    package init() {}

    @Flag(
        name: .customLong("strict"),
        help: "Fail where a file is damaged in what is shown or played of it; else that is a warning.")
    package var isStrict = false
}
