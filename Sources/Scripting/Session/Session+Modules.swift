import Foundation
import Values

/// `require`: text modules below the script's own folder.
extension Session {
    /// `require "parts.intro"` → the text of `parts/intro.lua` and the name that it is run under.
    func module(_ call: LuaCall) throws -> Value {
        guard let name = call.argument(0).text else {
            throw call.error("require wants a module's name, but was given \(call.argument(0).forPeople)")
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0 & 0xdf) || $0 == 95 || $0 == 45
                }
        }
        guard isName else {
            throw ScriptError(
                .forbidden,
                "‘\(name)’ is not a module's name; modules are named by letters, digits, _ and -, with dots between folders",
                at: call.origin)
        }
        let relative = parts.joined(separator: "/") + ".lua"
        let file = source.folder + "/" + relative
        environment.reads(file)
        guard FileManager.default.fileExists(atPath: file) else {
            if Self.forbiddenLibraries.contains(name) {
                throw ScriptError(.forbidden, "the script has no access to Lua's library ‘\(name)’", at: call.origin)
            }
            if Self.libraries.contains(name) {
                throw call.error("‘\(name)’ is there without ‘require’: it is a variable of every script")
            }
            let hint = nearestName(to: name, in: ["cutroom"] + modules).map { "; did you mean ‘\($0)’?" } ?? ""
            throw ScriptError(
                .unreadable, "there is no module ‘\(name)’: ‘\(relative)’ is not in the script's folder\(hint)",
                at: call.origin)
        }
        let real = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        let home = URL(fileURLWithPath: source.folder).resolvingSymlinksInPath().path
        guard real.hasPrefix(home == "/" ? home : home + "/") else {
            throw ScriptError(.forbidden, "the module ‘\(name)’ leads out of the script's folder", at: call.origin)
        }
        let folder = source.name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let display = (folder.map(String.init) + [relative]).joined(separator: "/")
        let text = try ScriptSource.read(real, name: display)
        lua?.addSource(display, text)
        return .object(["text": .string(text), "name": .string("@" + display)])
    }

    /// Lua's libraries that every script has.
    private static let libraries = ["string", "table", "math", "utf8", "coroutine"]
    /// Modules that exist in none of the places.
    private static let forbiddenLibraries = ["os", "io", "debug", "package"]

    /// The modules beside the script.
    private var modules: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: source.folder)) ?? []
        return names.prefix(1000).filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }
    }
}
