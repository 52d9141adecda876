import Testing

@testable import Farm

/// Folders that the machines of a farm have under different paths.
@Suite struct PathRootsTests {
    private func roots(_ words: String...) throws -> PathRoots { try PathRoots(words) }

    @Test func aPathGoesToTheOtherMachineAndBack() throws {
        let map = PathMap(
            theirs: try roots("media=/srv/media", "new=/srv/media/new/", "work=/srv/work"),
            ours: try roots("media=/mnt/a", "new=/data", "other=/mnt/a/b"))
        #expect(map.place(of: "/srv/media/x.mp4") == .here("/mnt/a/x.mp4"))
        #expect(map.place(of: "/srv/media") == .here("/mnt/a"))
        // The longest root wins.
        #expect(map.place(of: "/srv/media/new/x.mp4") == .here("/data/x.mp4"))
        #expect(map.place(of: "/srv/media/newer/x.mp4") == .here("/mnt/a/newer/x.mp4"))
        #expect(map.place(of: "/srv/mediator/x") == .same)
        #expect(map.place(of: "/srv/work/p") == .lacking("work"))
        #expect(map.place(of: "/srv/media/../../etc/passwd") == .escapes)
        #expect(map.returned("/data/y") == "/srv/media/new/y")
        // A name that the other machine does not know is ignored.
        #expect(map.returned("/mnt/a/b/y") == "/srv/media/b/y")
        #expect(map.returned("/elsewhere/y") == "/elsewhere/y")
        #expect(map.writable("/srv/media/z") == "/mnt/a/z" && map.writable("/srv/work") == nil)
    }

    @Test func whatPeopleReadNamesTheServersPaths() throws {
        let map = PathMap(theirs: try roots("m=/srv/media", "w=/srv/work"), ours: try roots("m=/mnt", "w=/mnt/work"))
        #expect(
            map.returned(inText: "‘/mnt/a.mp4’ and ‘/mnt/work/p’, but not /mnt2/a, /x/mnt/a or /mnt-b.")
                == "‘/srv/media/a.mp4’ and ‘/srv/work/p’, but not /mnt2/a, /x/mnt/a or /mnt-b.")
        #expect(map.returned(inText: "nothing") == "nothing")
    }

    @Test(arguments: [
        ("media", "must be a name and a folder"), ("=/a", "must be a name"), ("a b=/a", "must be a name"),
        ("m=relative", "absolute path"), ("m=/", "absolute path"), ("m=/a/../b", "absolute path"),
    ]) func whatIsNoRootIsRefused(word: String, text: String) {
        #expect { try PathRoots([word]) } throws: { "\($0)".contains(text) }
    }

    @Test func namesAndFoldersAreGivenOnce() {
        #expect { try PathRoots(["a=/x", "a=/y"]) } throws: { "\($0)".contains("twice") }
        #expect { try PathRoots(["a=/x", "b=/x/"]) } throws: { "\($0)".contains("two names") }
        #expect(PathRoots(told: ["a": "/x", "b": "/../y", "": "/z", "c": "/"]).folders == ["a": "/x"])
    }
}
