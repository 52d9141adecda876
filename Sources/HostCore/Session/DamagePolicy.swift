import ArgumentParser

/// What a render does about media that are damaged.
package struct DamagePolicy: ParsableArguments {
    package init() {}

    @Flag(
        name: .customLong("strict"),
        help: "Fail where a file is damaged in what is shown or played of it; else that is a warning.")
    package var isStrict = false
}
