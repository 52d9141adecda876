import ArgumentParser
import Draft
import HostCore

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of draft documents.",
        discussion: """
            Editors and other programs can use it to check a document. ‘cutroom check’ also checks what depends on files or
            plugins, and which options exclude each other.
            """)

    func run() throws { Console.write(DocumentSchema.value.json, to: 1) }
}
