import Testing

@testable import Farm

@Suite struct ByteSizeTests {
    @Test(
        arguments: [
            ("0", 0), ("512", 512), ("10k", 10 << 10), ("500M", 500 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29),
            ("1TB", 1 << 40),
            (".5M", 1 << 19), ("7B", 7),
        ] as [(String, Int64)]) func sizesAreRead(text: String, bytes: Int64)
    {
        #expect(ByteSize(text) == ByteSize(bytes: bytes))
    }

    @Test(arguments: [
        "", " ", "G", "-1", "+1", "1e3", "0x10", "nan", "inf", "1.2.3", "2X", "2GG", "1,5G", "4194305T", "１",
    ])
    func otherTextsAreNot(text: String) { #expect(ByteSize(text) == nil) }

    @Test(
        arguments: [
            (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (10 << 30, "10 GiB"),
            (123 << 20, "123 MiB"),
            (5 << 50, "5120 TiB"),
        ] as [(Int64, String)]) func sizesAreSaid(bytes: Int64, text: String)
    { #expect(ByteSize(bytes: bytes).forPeople == text) }
}
