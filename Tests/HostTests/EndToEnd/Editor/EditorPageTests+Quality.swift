import Foundation
import TestSupport
import Testing

extension EndToEnd.EditorPageTests.Sweep {
    /// A flash and a click that are simultaneous in a source are simultaneous in the preview.
    @Test func keepsSoundAndPictureTogether() throws {
        let source = try Footage.made(
            "flashing-page.mp4",
            [
                "-f", "lavfi", "-i",
                "color=black:size=64x64:rate=30:duration=12,drawbox=c=white:t=fill:enable='between(mod(n,30),15,20)'",
                "-f", "lavfi", "-i",
                "aevalsrc='if(between(mod(t,1),0.5,0.502),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=12",
                "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", "-g", "30", "-c:a",
                "flac",
                "-strict", "experimental",
            ])
        let studio = try Studio()
        try studio.script("draft:add_clip(\"\(source)\")", size: (64, 64))
        let bench = try EditorBench(studio)
        let browser = bench.browser
        try bench.waitForExactPicture(0)
        try bench.waitUntilRendered()
        try browser.evaluate(
            """
            clicks = [], flashes = [], late = [];
            sound = new AudioContext();
            // The page's thread may be late by one such buffer before sound is lost.
            tap = sound.createScriptProcessor(2048, 1, 1);
            sound.createMediaElementSource(video).connect(tap);
            tap.connect(sound.destination);
            tap.onaudioprocess = ({ inputBuffer }) => {
                const loud = inputBuffer.getChannelData(0).findIndex((sample) => Math.abs(sample) > 0.2);
                const time = video.currentTime - (inputBuffer.length - loud) / inputBuffer.sampleRate;
                if (loud >= 0 && !(time - clicks.at(-1) < 0.3)) clicks.push(time);
            };
            look = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
            watch = (_, { mediaTime }) => {
                look.drawImage(video, 0, 0, 1, 1);
                const isBright = look.getImageData(0, 0, 1, 1).data[0] > 128;
                if (isBright && !(mediaTime - flashes.at(-1) < 0.3)) flashes.push(mediaTime);
                late.push(Math.abs(video.currentTime - mediaTime));
                video.requestVideoFrameCallback(watch);
            };
            video.requestVideoFrameCallback(watch);
            sound.resume()
            """)
        try browser.press("l")
        try browser.wait("video.currentTime > 11", timeout: 60)
        try browser.press("k")
        let middle = { (name: String) in
            try browser.number("[...\(name)].sort((a, b) => a - b)[\(name).length >> 1]")
        }
        let seen = try browser.text("JSON.stringify({ flashes, clicks })")
        #expect(try browser.number("flashes.length") >= 8, "\(seen)")
        #expect(try browser.number("clicks.length") >= 8, "\(seen)")
        // Each is at the half of a second; the tolerance is a frame and the sound's buffers.
        try browser.evaluate(
            "off = clicks.map((time) => Math.abs(time % 1 - 0.5)), seen = flashes.map((time) => Math.abs(time % 1 - 0.5))"
        )
        #expect(try middle("off") < 1 / 30.0 + 0.02, "\(seen)")
        #expect(try middle("seen") < 1 / 30.0)
        #expect(try middle("late") < 2 / 30.0)
        bench.end()
    }

    /// The preview's pictures equal scaled-down pictures of the export.
    @Test func previewsWhatIsExported() throws {
        let studio = try Studio()
        try studio.script(
            """
            draft:add_clip("\(try Footage.pattern)")
            draft:add_effect("org.cutroom.vignette")
            """, size: (1280, 720))
        let bench = try EditorBench(studio)
        let browser = bench.browser
        try bench.waitForExactPicture(0)
        try bench.waitUntilRendered()
        let size = try browser.text(
            "fetch('/api/state').then((answer) => answer.json()).then(({ draft }) => `${draft.preview_width}:${draft.preview_height}`)"
        )
        let bytes = try browser.text(
            """
            fetch('/api/state').then((answer) => answer.json()).then(({ parts }) => fetch(`/part/${parts[1].key}.mp4`))
                .then((answer) => answer.arrayBuffer()).then((data) => {
                    let text = '';
                    for (const byte of new Uint8Array(data)) text += String.fromCharCode(byte);
                    return btoa(text);
                })
            """)
        let first = Int(
            try browser.number(
                "fetch('/api/state').then((answer) => answer.json()).then(({ parts }) => parts[1].first_frame)"))
        let part = try studio.folder.write(Data(base64Encoded: bytes) ?? Data(), to: "part.mp4")
        _ = try bench.coverPixels(first)
        let result = try FFmpeg.run([
            "-i", part, "-i", studio.file("shot.png"), "-frames:v", "1", "-filter_complex",
            "[1:v]scale=\(size):out_color_matrix=bt709:out_range=tv,format=yuv420p[still];[0:v]format=yuv420p[part];[part][still]psnr=stats_file=\(studio.file("psnr")):shortest=1",
            "-f", "null", "-",
        ])
        let line = try String(contentsOfFile: studio.file("psnr"), encoding: .utf8)
        let value =
            line.firstMatch(of: /psnr_avg:([0-9.]+)/).flatMap { Double($0.1) } ?? (line.contains("inf") ? 100 : 0)
        #expect(value >= 38, "\(line) \(result)")
        bench.end()
    }

    /// Half an hour with 360 clips: only the visible part is drawn, and the end is reached.
    @Test func showsALongTimeline() throws {
        let studio = try Studio()
        try studio.script(
            """
            for index = 1, 360 do draft:add_clip("\(try Footage.pattern)", { speed = 0.8 }) end
            draft:add_audio("\(try Footage.tone)")
            """)
        let bench = try EditorBench(studio)
        let browser = bench.browser
        try bench.waitForExactPicture(0)
        #expect(try browser.number("Number(document.querySelector('.ruler').ariaValueMax)") == 53_999)
        #expect(try browser.number("document.querySelectorAll('*').length") < 1500)
        try browser.press("End")
        try bench.waitForExactPicture(53_999)
        for _ in 0..<12 { try browser.press("+") }
        try browser.evaluate("document.querySelector('.scroller').focus()")
        try browser.press("End")
        try browser.wait("document.querySelector('[role=option]').ariaSelected == 'true'")
        try browser.press("Home")
        try browser.wait("document.querySelector('.scroller').scrollLeft == 0")
        #expect(try browser.text("document.querySelector('[role=option]').ariaSetSize") == "361")
        #expect(browser.complaints == [])
        bench.end()
    }
}
