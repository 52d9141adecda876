import Testing

@testable import HostCore

/// The names of a picture sequence.
@Suite struct PictureNamesTests {
    @Test func `names are made as printf makes them`() throws {
        let names = try #require(try PictureNames(path: "/x/100%%-%03d.png"))
        #expect(names.path(7) == "/x/100%-007.png" && names.path(1234) == "/x/100%-1234.png")
        #expect(try PictureNames(path: "/x/%d.jpg")?.path(12) == "/x/12.jpg")
        #expect(try PictureNames(path: "/%03d/still.png") == nil && PictureNames(path: "/x/50%%.png") == nil)
        #expect(PictureNames(folder: "/x", suffix: "png").path(1) == "/x/0001.png")
    }
}
