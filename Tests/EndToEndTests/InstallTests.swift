import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What `make install` puts where, without Swift.
    @Suite struct InstallTests {
        /// An installation of the programs under test, made by somebody in whose `PATH` there is no
        /// Swift.
        private static func install() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            let output = try Command.run(
                [
                    "make", "-C", Project.root, "install", "release=\(Studio.products)", "PREFIX=/usr",
                    "DESTDIR=\(folder.path)", "SWIFT=swift-is-not-here",
                ], environment: ["PATH": "/usr/bin:/bin"])
            try #require(output.succeeded, "\(output)")
            return folder
        }

        @Test func `everything is there, and works`() throws {
            let folder = try Self.install()
            for name in [
                "bin/cutroom", "bin/cutroom-worker", "lib/cutroom/plugins/libcutroom_plugin_vignette.so",
                "include/cutroom/plugin.h", "share/pkgconfig/cutroom-plugin.pc", "share/cutroom/editor/icon.svg",
                "share/bash-completion/completions/cutroom", "share/zsh/site-functions/_cutroom",
                "share/fish/vendor_completions.d/cutroom.fish", "share/man/man1/cutroom.1",
                "share/man/man1/cutroom-render.1", "share/man/man1/cutroom-plugin-check.1",
                "share/man/man1/cutroom-worker.1", "share/man/man1/cutroom-record.1", "lib/cutroom/cutroom-recorder",
            ] { #expect(FileManager.default.fileExists(atPath: folder.file("usr/" + name)), "\(name) is missing") }
            let record = try Command.run(
                [
                    folder.file("usr/bin/cutroom"), "record", folder.file("a.cutroom"), "--video", "test", "--audio",
                    "test", "--max-duration", "0.2",
                ])
            #expect(record.succeeded && record.text.contains("1 take, 0.20 s"), "\(record)")
            let info = try Command.run([folder.file("usr/bin/cutroom"), "plugin", "info", "org.cutroom.vignette"])
            #expect(info.text.contains(folder.file("usr/lib/cutroom/plugins/libcutroom_plugin_vignette.so")), "\(info)")
        }

        @Test func `each installed file is in one of Debian's packages`() throws {
            let folder = try Self.install()
            let installed = try files(of: folder.file("usr"))
            let split = Project.root + "/tools/packages/split.sh"
            // What no list has, and a list's line that fits nothing, are told of, and nothing is
            // moved.
            let stray = folder.file("usr/bin/stray"), gone = folder.file("usr/share/pkgconfig/cutroom-plugin.pc")
            try Data().write(to: URL(fileURLWithPath: stray))
            try FileManager.default.moveItem(atPath: gone, toPath: folder.file("kept"))
            let refused = try Command.run([split, folder.file("usr"), folder.file("parted")])
            #expect(refused.status == 1 && refused.stderr.contains("‘bin/stray’"), "\(refused)")
            #expect(refused.stderr.contains("‘share/pkgconfig/cutroom-plugin.pc’"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("parted")))
            try FileManager.default.removeItem(atPath: stray)
            try FileManager.default.moveItem(atPath: folder.file("kept"), toPath: gone)

            let output = try Command.run([split, folder.file("usr"), folder.file("parted")])
            #expect(output.succeeded, "\(output)")
            let worker = try files(of: folder.file("parted/cutroom-worker/usr"))
            let rest = try files(of: folder.file("parted/cutroom/usr"))
            #expect(worker.isDisjoint(with: rest) && worker.union(rest) == installed)
            #expect(worker.contains("bin/cutroom-worker") && worker.contains("share/man/man1/cutroom-worker.1"))
            let plugins = installed.filter { $0.hasPrefix("lib/cutroom/plugins/") }
            #expect(!plugins.isEmpty && plugins.isSubset(of: worker) && rest.contains("bin/cutroom"))
        }

        /// The paths of the files below a folder.
        private func files(of folder: String) throws -> Set<String> {
            Set(
                try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
                    var isFolder: ObjCBool = false
                    return FileManager.default.fileExists(atPath: folder + "/" + $0, isDirectory: &isFolder)
                        && !isFolder.boolValue
                })
        }

        @Test func `bash completes names with spaces, options and their values`() throws {
            let folder = try Self.install()
            let work = try TemporaryFolder()
            for name in ["my clip.lua", "my film.mp4", "else.txt", "q:a=b.lua", "a day: one.mp4"] {
                try work.write("", to: name)
            }
            // As a user types it: in a terminal, with the tab key.
            let typed = """
                source '\(folder.file("usr/share/bash-completion/completions/cutroom"))'
                cutroom() { printf '<%s>' "$@"; echo; }
                cutroom chec\tmy\t
                cutroom render my\\ c\t --over\t -o my\\ f\t
                cutroom render --preset=x --pres\tultra\t --codec hev\t
                cutroom snapshots --format j\t
                cutroom render q:\t -o a\\ day:\t
                cutroom render q:a=\t --codec=he\t --output="a day\t --pres\t
                cutroom check q:a=b.lua --set=a=b:c --no\t
                exit

                """
            let output = try Command.run(
                ["script", "-qec", "bash --norc --noprofile -i", "/dev/null"], environment: ["TERM": "dumb"],
                in: work.path, input: Data(typed.utf8))
            for line in [
                "<check><my clip.lua>", "<render><my clip.lua><--overwrite><-o><my film.mp4>",
                "<--preset><ultrafast><--codec><hevc>", "<snapshots><--format><jpg>",
                "<render><q:a=b.lua><-o><a day: one.mp4>",
                "<render><q:a=b.lua><--codec=hevc><--output=a day: one.mp4><--preset>",
                "<check><q:a=b.lua><--set=a=b:c><--no-cache>",
            ] { #expect(output.text.contains(line), "no ‘\(line)’ in: \(output)") }
        }

        /// The other shells are not everywhere; what is made for them is looked at where they are.
        @Test(arguments: [("zsh", "zsh/site-functions/_cutroom"), ("fish", "fish/vendor_completions.d/cutroom.fish")])
        func `the completions of other shells are their language`(shell: String, file: String) throws {
            let text = try Command.run([Studio.program, "--generate-completion-script", shell])
            #expect(text.succeeded && text.text.contains("cutroom") && text.text.contains("overwrite"), "\(text)")
            guard Command.isInstalled(shell) else { return }
            let folder = try Self.install()
            let check = try Command.run([shell, "-n", folder.file("usr/share/" + file)])
            #expect(check.succeeded, "\(check)")
        }

        /// The manual beside what each command says.
        @Suite struct Sweep {
            @Test(.enabled(if: Command.isInstalled("groff"), "groff reads the pages"))
            func `the manual has what help has`() throws {
                let folder = try install()
                let pages = try FileManager.default.contentsOfDirectory(atPath: folder.file("usr/share/man/man1"))
                for page in pages {
                    let path = folder.file("usr/share/man/man1/" + page)
                    let output = try Command.run(["groff", "-mdoc", "-Tutf8", "-k", "-ww", "-P-cbou", path])
                    #expect(output.succeeded && output.stderr == "", "\(page): \(output)")
                    let words = page.dropLast(2).split(separator: "-").dropFirst().map(String.init)
                    let command =
                        page == "cutroom-worker.1" ? [Studio.products + "/cutroom-worker"] : [Studio.program] + words
                    // Letters that a terminal may lack are groff's affair.
                    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).allSatisfy { $0 < 0x80 }, "\(page)")
                    let help = try Command.run(command + ["--help"]).text
                    let manual = output.text.replacing(/[‐­]\n\s*/, with: "")
                    #expect(help.contains("--help"), "\(page): \(help)")
                    for match in help.matches(of: /\n\s+.*?(--[a-z-]+)/) {
                        #expect(manual.contains(match.1), "\(page) lacks \(match.1)")
                    }
                }
                let plain = try Command.run(
                    ["groff", "-mdoc", "-Tascii", "-ww", "-P-cbou"]
                        + pages.map { folder.file("usr/share/man/man1/" + $0) })
                #expect(plain.succeeded && plain.stderr == "", "\(plain)")
            }
        }
    }
}
