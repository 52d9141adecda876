import Testing
import Values

@testable import Recording

@Suite struct DeviceTests {
    private static func mode(_ format: String, _ width: Int, _ height: Int, _ rates: Int...) -> CameraMode {
        CameraMode(
            format: format, width: CameraMode.Steps(width), height: CameraMode.Steps(height),
            rates: rates.isEmpty ? .unknown : .list(rates.map { Rational(Int64($0)) }))
    }

    /// As a usual webcam has them: large pictures are fast only if they are compressed.
    private static let modes = [
        mode("YUYV", 640, 480, 30, 15), mode("YUYV", 320, 240, 60, 30), mode("YUYV", 1280, 720, 5),
        mode("MJPG", 640, 480, 30), mode("MJPG", 1280, 720, 30, 15), mode("MJPG", 1920, 1080, 30),
        mode("BA81", 1280, 720, 60),
    ]

    private static func text(_ choice: CameraRequest.Choice?) -> String {
        guard let choice else { return "nothing" }
        let rate = choice.rate.map { "\($0.rateText)" } ?? "?"
        return "\(choice.mode.format) \(choice.width)x\(choice.height) \(rate)"
    }

    @Test(arguments: [
        (CameraRequest(), "MJPG 1280x720 30"),
        (CameraRequest(width: 640, height: 480), "YUYV 640x480 30"),
        (CameraRequest(width: 640, height: 480, frameRate: Rational(15)), "YUYV 640x480 15"),
        (CameraRequest(width: 1280, height: 720), "MJPG 1280x720 30"),
        (CameraRequest(width: 1280, height: 720, frameRate: Rational(5)), "YUYV 1280x720 5"),
        (CameraRequest(frameRate: Rational(60)), "YUYV 320x240 60"),
        (CameraRequest(frameRate: Rational(30_000, 1001)), "MJPG 1280x720 30"),
        (CameraRequest(width: 1234, height: 700, compromises: true), "MJPG 1280x720 30"),
        (
            CameraRequest(width: 640, height: 480, frameRate: Rational(50), compromises: true),
            "YUYV 640x480 30"
        ),
        (
            CameraRequest(width: 4000, height: 3000, frameRate: Rational(25), compromises: true),
            "MJPG 1920x1080 30"
        ),
    ])
    func `a camera is opened as it was asked`(request: CameraRequest, choice: String) throws {
        #expect(Self.text(try request.choice(among: Self.modes)) == choice)
    }

    @Test(arguments: [
        (
            CameraRequest(width: 1234, height: 700),
            "it cannot deliver 1234x700; it has 320x240, 640x480, 1280x720 and 1920x1080"
        ),
        (
            CameraRequest(width: 640, height: 480, frameRate: Rational(60)),
            "it cannot deliver 60 frames per second at 640x480; it has 15 and 30"
        ),
        (
            CameraRequest(frameRate: Rational(24)), "it cannot deliver 24 frames per second; it has 5, 15, 30 and 60"
        ),
    ])
    func `what a camera does not have is refused with what it has`(request: CameraRequest, reason: String) {
        let refusal = #expect(throws: Unsupported.self) { try request.choice(among: Self.modes) }
        #expect(refusal?.reason == reason + ", and ‘--compromise’ takes the nearest")
    }

    @Test func `a camera without known sizes or rates is left to its driver`() throws {
        #expect(try CameraRequest(width: 640, height: 480).choice(among: []) == nil)
        #expect(try CameraRequest().choice(among: [Self.mode("BA81", 640, 480, 30)]) == nil)
        let unknown = [Self.mode("YUYV", 640, 480)]
        #expect(Self.text(try CameraRequest(frameRate: Rational(99)).choice(among: unknown)) == "YUYV 640x480 ?")
    }

    @Test func `sizes and rates in steps`() throws {
        let steps = CameraMode.Steps(least: 16, most: 1000, step: 16)
        let modes = [
            CameraMode(
                format: "YUYV", width: steps, height: steps, rates: .range(slowest: Rational(1), fastest: Rational(50)))
        ]
        #expect(
            Self.text(try CameraRequest(width: 640, height: 480, frameRate: Rational(25)).choice(among: modes))
                == "YUYV 640x480 25")
        let refusal = #expect(throws: Unsupported.self) {
            try CameraRequest(width: 650, height: 480).choice(among: modes)
        }
        #expect(refusal?.reason.hasPrefix("it cannot deliver 650x480; it has 16x16 to 1000x1000") == true)
        for (wanted, nearest) in [(0, 16), (23, 16), (25, 32), (650, 656), (999, 992), (5000, 992)] {
            #expect(steps.nearest(to: wanted) == nearest)
        }
        #expect(
            Self.text(
                try CameraRequest(width: 4000, height: 480, frameRate: Rational(60), compromises: true).choice(
                    among: modes))
                == "YUYV 992x480 50")
    }

    @Test func `what a driver has set instead is found`() throws {
        let request = CameraRequest(width: 640, height: 480, frameRate: Rational(30))
        #expect(try request.check(width: 640, height: 480, frameRate: Rational(30_000, 1001)).isEmpty)
        let refusal = #expect(throws: Unsupported.self) {
            try request.check(width: 320, height: 240, frameRate: Rational(30))
        }
        #expect(refusal?.reason.hasPrefix("it delivers 320x240, not 640x480") == true)
        var lenient = request
        lenient.compromises = true
        #expect(
            try lenient.check(width: 320, height: 240, frameRate: Rational(15)) == [
                "it delivers 320x240, not 640x480", "it delivers 15 frames per second, not 30",
            ])
        #expect(try CameraRequest().check(width: 1, height: 1, frameRate: Rational(1)).isEmpty)
    }

    @Test func `sound is opened as it was asked`() throws {
        let modes = SoundModes(sampleRates: [16_000, 44_100, 96_000], channels: [1])
        func choice(_ request: SoundRequest) throws -> SoundRequest.Choice? { try request.choice(among: modes) }
        #expect(try choice(SoundRequest()) == SoundRequest.Choice(sampleRate: 44_100, channels: 1))
        #expect(
            try choice(SoundRequest(sampleRate: 16_000, channels: 1))
                == SoundRequest.Choice(sampleRate: 16_000, channels: 1))
        #expect(
            try choice(SoundRequest(sampleRate: 48_000, channels: 2, compromises: true))
                == SoundRequest.Choice(
                    sampleRate: 44_100, channels: 1,
                    compromises: ["it delivers 44100 Hz, not 48000 Hz", "it delivers 1 channel, not 2"]))
        let rate = #expect(throws: Unsupported.self) { try choice(SoundRequest(sampleRate: 48_000)) }
        #expect(rate?.reason.hasPrefix("it cannot deliver 48000 Hz; it has 16000, 44100 and 96000 Hz") == true)
        let count = #expect(throws: Unsupported.self) { try choice(SoundRequest(channels: 2)) }
        #expect(count?.reason.hasPrefix("it cannot deliver 2 channels; it has 1") == true)
        #expect(try SoundRequest().choice(among: SoundModes(sampleRates: [], channels: [])) == nil)
    }

    @Test func `a bit rate is at most what AAC has`() throws {
        let request = SoundRequest(bitRate: 128_000)
        #expect(try request.check(sampleRate: 48_000, channels: 2).isEmpty)
        let refusal = #expect(throws: Unsupported.self) { try request.check(sampleRate: 8000, channels: 1) }
        #expect(refusal?.reason.hasPrefix("its sound cannot have 128000 bits per second; 1 channel of 8000 Hz") == true)
        #expect(
            try SoundRequest(bitRate: 128_000, compromises: true).check(sampleRate: 8000, channels: 2) == [
                "its sound has 96000 bits per second, not 128000, the most for 2 channels of 8000 Hz"
            ])
    }

    @Test(arguments: [
        (TakeEncoding(sampleRate: 48_001), "--sample-rate", "48000, 64000, 88200 or 96000"),
        (TakeEncoding(channels: 3), "--channels", "1, 2 or 6"),
        (TakeEncoding(videoBitRate: 0), "--video-bitrate", "10k to 1000M bits per second"),
        (TakeEncoding(audioBitRate: 7999), "--audio-bitrate", "8k to 1M bits per second"),
        (TakeEncoding(keyFrameInterval: 0), "--key-frames", "0.1 to 60 seconds"),
        (TakeEncoding(keyFrameInterval: .nan), "--key-frames", "0.1 to 60 seconds"),
        (TakeEncoding(profile: "High"), "--profile", "baseline, main or high"),
    ])
    func `what no encoder does is refused`(encoding: TakeEncoding, option: String, mustBe: String) throws {
        let problem = try #require(encoding.problem)
        #expect(problem.option == option && problem.mustBe.hasSuffix(mustBe), "\(problem)")
    }

    @Test func `what encoders do is no problem`() {
        #expect(TakeEncoding().problem == nil)
        let all = TakeEncoding(
            sampleRate: 8000, channels: 6, videoBitRate: 10_000, audioBitRate: 1_000_000, keyFrameInterval: 60,
            profile: "baseline")
        #expect(all.problem == nil)
    }

    @Test(arguments: [
        (Rational(30), "30"), (Rational(30_000, 1001), "29.97"), (Rational(15, 2), "7.5"),
        (Rational(1001, 100), "10.01"),
    ])
    func `rates are written for people`(rate: Rational, text: String) { #expect(rate.rateText == text) }
}
