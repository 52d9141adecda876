import ArgumentParser
import Draft
import HostCore

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of a draft's document.",
        discussion: """
            Editors and other programs can check a document with it before Cutroom reads it. What depends on files or
            plugins, and which options exclude each other, is checked by ‘cutroom check’ alone.
            """)

    func run() throws { Console.write(DocumentSchema.value.json, to: 1) }
}
