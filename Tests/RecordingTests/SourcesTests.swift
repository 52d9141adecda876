import Recording
import Testing

@Suite struct SourcesTests {
    @Test(arguments: [
        ("test", VideoSource.test), ("screen", .screen(nil)), ("window:77", .window(77)),
        ("window:0x1a00007", .window(0x1a00007)), ("camera", .camera(nil)),
        ("camera:/dev/video2", .camera("/dev/video2")), ("pipe:/tmp/a:b", .pipe("/tmp/a:b")),
    ])
    func `pictures come from what is named`(text: String, source: VideoSource) {
        #expect(VideoSource(text) == source)
    }

    @Test func `a region of the screen has its size and corner`() throws {
        guard case .screen(let region?) = try #require(VideoSource("screen:640x360+10+0")) else {
            Issue.record("no region")
            return
        }
        #expect((region.width, region.height, region.x, region.y) == (640, 360, 10, 0))
    }

    @Test(arguments: [
        "", "none", "Test", "test:", "test:1", "screen:", "screen:640x360", "screen:640x360+1", "screen:0x360+0+0",
        "screen:640x360+-1+0", "screen:640x360+0+0+0", "screen:9999999x360+0+0", "window", "window:", "window:0",
        "window:-1", "window:0xg", "pipe", "pipe:", "camera:", "webcam",
    ])
    func `other names are no source of pictures`(text: String) { #expect(VideoSource(text) == nil) }

    @Test(arguments: [
        ("test", AudioSource.test), ("default", .pulse(nil)), ("pulse", .pulse(nil)),
        ("pulse:n.monitor", .pulse("n.monitor")), ("alsa:hw:0", .alsa("hw:0")), ("pipe:/a", .pipe("/a")),
    ])
    func `sound comes from what is named`(text: String, source: AudioSource) { #expect(AudioSource(text) == source) }

    @Test(arguments: ["", "none", "loud", "test:1", "default:a", "pulse:", "alsa", "alsa:", "pipe"])
    func `other names are no source of sound`(text: String) { #expect(AudioSource(text) == nil) }
}
