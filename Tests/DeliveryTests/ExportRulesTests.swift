import Delivery
import Testing
import Values

@Suite struct ExportRulesTests {
    typealias Container = ExportSettings.Container

    private func settings(_ change: (inout ExportSettings) -> Void) -> ExportSettings {
        var settings = ExportSettings()
        change(&settings)
        return settings
    }

    @Test(arguments: Container.allCases) func usualSettingsFitEveryContainer(_ container: Container) {
        #expect(ExportSettings().problems(in: container) == [])
        #expect(container.isSoundOnly == (ExportSettings().videoCodec(in: container) == nil && container != .gif))
        // Each codec is either held or refused with the name of a container that does hold it.
        for codec in VideoCodec.allCases where !container.isSoundOnly && container != .gif {
            let problems = settings { $0.video.codec = codec }.problems(in: container)
            #expect(problems.isEmpty == container.videoCodecs.contains(codec))
            #expect(problems.allSatisfy { $0.message.contains("\(codec.rawValue) goes into ") })
        }
        for codec in AudioCodec.allCases where !container.audioCodecs.isEmpty {
            let problems = settings { $0.audio.codec = codec }.problems(in: container)
            #expect(problems.isEmpty == container.audioCodecs.contains(codec))
        }
    }

    /// An HDR canvas goes into what has ten bits, encoded with what players decode.
    @Test(arguments: Container.allCases) func hdrFitsSomeContainersOnly(_ container: Container) {
        let (problems, codec) = (
            ExportSettings().problems(in: container, color: .pq), ExportSettings().videoCodec(in: container, color: .pq)
        )
        if [.gif, .png, .jpg].contains(container) {
            #expect(
                problems.map(\.message) == [
                    "the canvas is PQ, but a \(container.rawValue) has 8 bits and shows SDR only; write mp4, mov, webm, mkv, "
                        + "or leave the canvas's ‘color’ at \"sdr\""
                ])
        } else {
            #expect(problems == [])
            #expect(codec == (container.isSoundOnly ? nil : container == .webm ? .vp9 : .hevc))
        }
    }

    @Test func profilesFollowTheCanvas() {
        func message(_ codec: VideoCodec, _ profile: String, _ color: ColorSystem?) -> String? {
            settings { ($0.video.codec, $0.video.profile) = (codec, profile) }.problems(in: .mov, color: color).first?
                .message
        }
        for color in [ColorSystem.hlg, .pq, nil] {
            #expect(
                message(.h264, "high10", color) == nil && message(.hevc, "main10", color) == nil
                    && message(.prores, "hq", color) == nil)
        }
        #expect(
            message(.h264, "baseline", .hlg)
                == "‘profile’ is ‘baseline’, but an HLG canvas has 10 bits, which h264 carries in ‘high10’")
        #expect(
            message(.hevc, "main10", .sdr)
                == "‘profile’ is ‘main10’, but an SDR canvas has 8 bits, which hevc carries in ‘main’")
        #expect(message(.h264, "hihg", nil)?.contains("which h264 does not have") == true)
    }

    @Test func everyCodecHasAHome() {
        for codec in VideoCodec.allCases {
            let container = settings { $0.video.codec = codec }.usualContainer
            #expect(container.videoCodecs.contains(codec))
        }
        for codec in AudioCodec.allCases {
            let container = settings { $0.audio.codec = codec }.usualContainer
            #expect(container.audioCodecs.contains(codec) && !container.isSoundOnly)
        }
        #expect(ExportSettings().usualContainer == .mp4)
        #expect(settings { $0.video.codec = .vp9 }.usualContainer == .webm)
        #expect(settings { $0.video.codec = .prores }.usualContainer == .mov)
        #expect(settings { $0.container = .gif }.usualContainer == .gif)
    }

    @Test func aFileOfSoundDoesNotLookAtThePicturesSettings() {
        let both = settings {
            $0.video.codec = .prores
            $0.audio.codec = .flac
        }
        #expect(both.problems(in: .flac) == [])
        #expect(both.problems(in: .mov).map(\.object) == ["export, audio"])
        // What a GIF or PNG does not choose from is no problem unless the settings ask for one.
        var fine = settings { $0.video.quality = 20 }
        for container in [Container.gif, .png] {
            #expect(fine.problems(in: container) == [])
            fine.container = container
            #expect(fine.problems(in: container).count == 1)
            fine.container = nil
        }
    }

    /// What the output's codec has no choice of is left out where only the output's name chose it.
    @Test func oneScriptIsRenderedToSeveralKinds() {
        let picture = settings {
            ($0.video.quality, $0.video.profile, $0.video.preset) = (40, "high", "fast")
            ($0.audio.sampleRate, $0.audio.bitRate) = (32_000, 96_000)
        }
        for container in Container.allCases where container != .jpg {
            #expect(picture.problems(in: container) == [], "\(container)")
        }
        let webm = picture.fitted(to: .webm)
        #expect(webm.video.profile == nil && webm.video.preset == "fast" && webm.audio.sampleRate == nil)
        #expect(picture.fitted(to: .flac).audio.bitRate == nil && picture.fitted(to: .mp4) == picture)
        #expect(
            picture.problems(in: .jpg).map(\.message) == [
                "‘quality’ is 40, but must lie between 1 (best) and 31 (worst) for jpeg"
            ])
        // A codec of a GIF's own, and one that is named.
        let named = settings { ($0.video.codec, $0.video.quality) = (.h264, 30) }
        #expect(named.problems(in: .gif) == [] && named.fitted(to: .gif).video == .init())
        #expect(named.problems(in: .webm).count == 1 && named.problems(in: .png).count == 1)
        var asked = picture
        asked.container = .webm
        #expect(asked.problems(in: .webm).map(\.message).first == "vp9 has no ‘profile’; leave it out")
    }
}
