import ArgumentParser

/// What a render does about media that are damaged.
struct DamagePolicy: ParsableArguments {
    @Flag(
        name: .customLong("strict"),
        help: "Fail where a file is damaged in what is shown or played of it; else that is a warning.")
    var isStrict = false
}
