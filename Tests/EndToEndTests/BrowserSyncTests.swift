import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a browser records of a real screen and a real sound server.
    @Suite(
        .enabled(if: LiveDesk.isPresent, LiveDesk.absence), .enabled(if: Chromium.isPresent, Chromium.absence),
        .enabled(if: Command.isInstalled("pactl"), "pactl is not installed"))
    struct BrowserSyncTests {
        /// Other tests would make the pictures late.
        @Suite struct Sweep {
            /// A flash and its click are recorded at the same time, ±60 ms. A browser's times begin
            /// with its first picture and its first sound, which need not have come together.
            @Test func `a screen and a microphone are in sync`() throws {
                let desk = try LiveDesk(width: 1000, height: 800)
                // Chromium does not offer monitors of sinks.
                let source = try Command.run(
                    ["pactl", "load-module", "module-remap-source", "master=\(LiveDesk.source)", "source_name=mic"],
                    environment: desk.environment)
                try #require(source.succeeded, "\(source)")
                _ = try desk.flash()
                let studio = try Studio()
                let server = try studio.start(["edit", "talk.cutroom", "--no-open"])
                try #require(
                    Command.until(timeout: 30) { server.stdoutSoFar.contains("\n") || !server.isRunning },
                    "\(server.stderrSoFar)")
                let browser = try Chromium(width: 600, height: 700, desk: desk.environment)
                // Beside the window that flashes.
                let window = try browser.call("Browser.getWindowForTarget")["windowId"] as? Int
                try browser.call(
                    "Browser.setWindowBounds",
                    ["windowId": window ?? 0, "bounds": ["left": 340, "top": 0, "width": 640, "height": 780]])
                try browser.open(server.stdoutSoFar.trimmingCharacters(in: .whitespacesAndNewlines))
                try browser.wait("document.querySelector('#panel-record').children.length > 5")
                try browser.evaluate(
                    """
                    document.querySelector('#tab-record').click();
                    document.querySelector('#record-counts').checked = false;
                    document.querySelector('#record-picture').value = 'browser:screen'
                    """)
                try browser.wait("document.querySelector('#panel-record p').textContent != ''")
                // A key lets the page ask for the screen.
                try browser.press("R", modifiers: Chromium.shift)
                try browser.wait("document.querySelector('.times').dataset.phase == 'recording'")
                usleep(9_000_000)
                try browser.press("R", modifiers: Chromium.shift)
                let take = studio.file("talk.takes/0001.mp4")
                try #require(
                    Command.until { FileManager.default.fileExists(atPath: take) }, "no take: \(server.stderrSoFar)")
                try browser.wait("document.querySelector('.takes li')")
                server.send(SIGINT)
                _ = server.wait(timeout: 20)
                let (offsets, count) = try Self.offsets(of: take)
                try #require(count >= 5)
                #expect(abs(offsets[offsets.count / 2]) <= 0.06, "\(offsets)")
            }

            /// The sorted distances of clicks from their flashes, in seconds. Only the window's
            /// corner of the screen is looked at.
            private static func offsets(of take: String) throws -> (offsets: [Double], count: Int) {
                let folder = try TemporaryFolder()
                let corner = folder.file("corner.mp4")
                let cut = try Command.run([
                    "ffmpeg", "-v", "error", "-i", take, "-vf", "crop=200:150:20:20", "-fps_mode", "passthrough",
                    "-c:v",
                    "libx264", "-preset", "ultrafast", "-c:a", "flac", "-strict", "-2", corner,
                ])
                try #require(cut.succeeded, "\(cut)")
                let offsets = try FlashesAndClicks(of: corner).offsets.sorted()
                return (offsets, offsets.count)
            }
        }
    }
}
