import ArgumentParser

/// The option that decides what damaged media do to a render.
package struct DamagePolicy: ParsableArguments {
    package init() {}

    @Flag(
        name: .customLong("strict"),
        help: "Fail if a used part of a media file is damaged; otherwise that is a warning.")
    package var isStrict = false
}
