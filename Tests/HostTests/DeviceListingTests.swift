import Recording
import TestSupport
import Testing
import Values

@testable import RecordingHost

@Suite struct DeviceListingTests {
    private static let list = DeviceList(
        devices: [
            Device(source: "screen", name: "", .screen(width: 1920, height: 1080)),
            Device(source: "window:0x1a00003", name: "Terminal", .window(width: 640, height: 480)),
            Device(
                source: "camera:/dev/video0", name: "Webcam",
                .camera([
                    CameraMode(
                        format: "YUYV", width: CameraMode.Steps(640), height: CameraMode.Steps(480),
                        rates: .list([Rational(30), Rational(15, 2)])),
                    CameraMode(
                        format: "YUYV", width: CameraMode.Steps(320), height: CameraMode.Steps(240),
                        rates: .list([Rational(30), Rational(15, 2)])),
                    CameraMode(
                        format: "MJPG", width: CameraMode.Steps(least: 16, most: 4096, step: 16),
                        height: CameraMode.Steps(least: 16, most: 2160, step: 8),
                        rates: .range(slowest: Rational(1), fastest: Rational(60))),
                    CameraMode(
                        format: "GREY", width: CameraMode.Steps(8), height: CameraMode.Steps(8), rates: .unknown),
                ])),
            Device(
                source: "pulse:mic", name: "Microphone",
                .pulse(sampleRate: 44_100, channels: 1, isDefault: true, isMonitor: false)),
            Device(
                source: "alsa:hw:CARD=PCH,DEV=0", name: "PCH",
                .alsa(SoundModes(sampleRates: [44_100, 48_000], channels: [2]))),
            Device(source: "alsa:odd", name: "", .alsa(SoundModes(sampleRates: [], channels: []))),
        ], problems: ["PulseAudio did not answer."])

    @Test func `people see tables`() {
        #expect(
            DeviceListing(Self.list).text == """
                --video
                  screen              1920x1080
                  window:0x1a00003    640x480, Terminal
                  camera:/dev/video0  Webcam
                                      YUYV  640x480 320x240  30 7.5 frames/s
                                      MJPG  16x16 to 4096x2160  1 to 60 frames/s
                                      GREY  8x8
                  test                a test picture
                  pipe:PATH           NUT of any program

                --audio
                  pulse:mic               Microphone, 44100 Hz, 1 channel, default
                  alsa:hw:CARD=PCH,DEV=0  PCH, 44100 to 48000 Hz, 2 channels
                  alsa:odd
                  test                    a test tone
                  pipe:PATH               NUT of any program
                """)
    }

    @Test func `without devices there is a sentence`() {
        #expect(
            DeviceListing(DeviceList()).text
                == "There is no screen, camera or source of sound. ‘test’ and ‘pipe:PATH’ can be recorded everywhere.")
        #expect(DeviceListing(DeviceList(problems: ["a"])).text.contains("source of sound that can be used."))
    }

    @Test func `programs get what the schema says`() throws {
        let json = DeviceListing(Self.list).json
        let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
        #expect(try schema.accepts(json: json, as: "devices"), "\(json)")
        for text in [#""any_between" : true"#, #""step" : 16"#, "7.5", "PulseAudio did not answer.", #""test""#] {
            #expect(json.contains(text), "\(text)")
        }
    }
}
