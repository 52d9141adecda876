import ArgumentParser

/// The options for the trust in plugins, of commands that render.
package struct PluginPolicy: ParsableArguments {
    package init() {}

    package enum Answer: String, ExpressibleByArgument, CaseIterable { case fail, skip }

    @Option(
        name: .customLong("on-plugin-failure"),
        help: ArgumentHelp(
            "What to do when a plugin crashes, hangs or fails: fail, or skip to leave its effect out of the affected segment, with a warning.",
            valueName: "fail|skip"))
    package var answer: Answer = .fail

    @Flag(
        help:
            "Put guard pages around the frames of plugins, to catch reads and writes outside of them. Slower; the output is the same."
    )
    package var paranoid = false

    package var skips: Bool { answer == .skip }
}
