import Foundation
import TestSupport
import Testing

/// `cutroom edit` with a studio's script, and its page in a browser.
final class EditorBench {
    let studio: Studio
    let browser: Chromium
    private let server: Command

    /// Starts the editor.
    /// - Parameters:
    ///   - arguments: more options of `cutroom edit`.
    ///   - host: the name under which the page is opened; nil: that of the printed address.
    ///   - browserArguments: those of Chromium.
    init(
        _ studio: Studio, _ arguments: [String] = [], script: String = "edit.lua", width: Int = 1280, height: Int = 720,
        isDark: Bool = false, isPhone: Bool = false, hasDevices: Bool = false,
        host: String? = nil, browserArguments: [String] = []
    ) throws {
        self.studio = studio
        let server = try studio.start(["edit", script, "--no-open"] + arguments)
        self.server = server
        guard Command.until(timeout: 30, { server.stdoutSoFar.contains("/?token=") || !server.isRunning }) else {
            throw Command.Failure(description: "no address: \(server.stderrSoFar)")
        }
        guard let line = server.stdoutSoFar.split(separator: "\n").first(where: { $0.contains("/?token=") }) else {
            throw Command.Failure(description: "cutroom edit: \(server.wait(timeout: 5))")
        }
        browser = try Chromium(
            width: width, height: height, isDark: isDark, isPhone: isPhone, hasDevices: hasDevices,
            arguments: browserArguments)
        try browser.open(host.map { String(line).replacing("127.0.0.1", with: $0) } ?? String(line))
        try browser.wait("document.body.dataset.status != null")
    }

    /// The server's process.
    var pid: pid_t { server.pid }

    /// Ends the server like its terminal would, and checks that nothing is left.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        server.send(SIGINT)
        let output = server.wait(timeout: 20)
        #expect(!output.isTimeout && output.signal == nil, "\(output)", sourceLocation: sourceLocation)
        studio.expectClean(sourceLocation)
    }

    /// Waits for the server's end, after a signal that it does not survive.
    func wait() { _ = server.wait(timeout: 20) }

    // MARK: What is seen

    /// Waits until the exact picture of a frame is shown.
    func waitForExactPicture(_ frame: Int? = nil) throws {
        let number = try frame ?? Int(browser.number("Number(document.querySelector('.time').dataset.frame)"))
        let seen = "document.querySelector('.stage').dataset"
        do {
            try browser.wait("\(seen).picture == 'exact' && \(seen).frame == '\(number)'")
        } catch {
            let words = try browser.text("document.querySelector('#problems:not([hidden])')?.textContent ?? ''")
            throw Chromium.Failure(description: "\(error) \(words)")
        }
    }

    /// Waits until the whole preview is rendered.
    func waitUntilRendered() throws {
        try browser.wait("document.querySelector('#status').textContent == 'Fully rendered'", timeout: 120)
    }

    /// Returns the pixels of the exact picture, as red, green, blue and alpha.
    func exactPixels() throws -> Data {
        let text = try browser.text(
            """
            (() => {
                const canvas = document.querySelector('#still');
                const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                let text = '';
                for (const byte of data) text += String.fromCharCode(byte);
                return btoa(text);
            })()
            """)
        return Data(base64Encoded: text) ?? Data()
    }

    /// Returns the pixels of the output of `cutroom cover` for a frame of the current script.
    func coverPixels(_ frame: Int, rate: Double = 30) throws -> Data {
        // The editor is running, so its files remain.
        let result = try studio.start([
            "cover", "edit.lua", "--at", "\((Double(frame) + 0.5) / rate)", "-o", "shot.png", "--overwrite",
        ]).wait()
        try #require(result.status == 0, "\(result)")
        return try FFmpeg.run(["-i", studio.file("shot.png"), "-f", "rawvideo", "-pix_fmt", "rgba", "-"]).stdout
    }

    // MARK: What is done

    /// Replaces the text of a field, and leaves it.
    func fill(_ selector: String, _ text: String) throws {
        let field = "document.querySelector('\(selector)')"
        try browser.evaluate("\(field).focus(), \(field).select?.()")
        try browser.type(text)
        try browser.evaluate("\(field).blur()")
    }
}
