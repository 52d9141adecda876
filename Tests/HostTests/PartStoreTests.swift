import Jobs
import Testing

/// A worker's statements about the files that it has written.
@Suite struct PartStoreTests {
    @Test func aPartLiesInTheRendersOwnFolder() {
        func lies(_ path: String) -> Bool {
            WrittenFile(path: path, file: RenderedFile(count: 1, size: 1, digest: "")).lies(in: "/cache/parts/7")
        }
        #expect(lies("/cache/parts/7/sound.5-17"))
        for path in [
            "", "/etc/passwd", "/cache/parts/7", "/cache/parts/7x/sound", "/cache/parts/7/../8/sound",
            "/cache/parts/7/a/b",
            "sound", "/cache/parts/7/", "/cache/parts/7/.", "/cache/parts/7/..",
        ] { #expect(!lies(path), "\(path)") }
    }
}
