import Draft
import Testing

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

    @Test(arguments: [
        (
            "{\"container\": \"webm\", \"video\": {\"codec\": \"h264\"}}",
            "export, video: webm cannot hold h264; it holds vp9, av1, and h264 goes into mp4, mov, mkv"
        ),
        (
            "{\"container\": \"webm\", \"audio\": {\"codec\": \"aac\"}}",
            "export, audio: webm cannot hold aac; it holds opus, and aac goes into mp4, mov, m4a"
        ),
        (
            "{\"container\": \"mkv\", \"audio\": {\"codec\": \"mp3\"}}",
            "export, audio: mkv cannot hold mp3; it holds opus, flac, pcm_s16, pcm_s24, and mp3 goes into mp4, mp3"
        ),
        ("{\"video\": {\"codec\": \"vp8\"}}", "export, video: ‘codec’ is ‘vp8’; did you mean ‘vp9’?"),
        (
            "{\"video\": {\"codec\": \"prores\", \"quality\": 5}}",
            "export, video: prores has no ‘quality’; its ‘profile’ decides"
        ),
        (
            "{\"video\": {\"codec\": \"prores\", \"bit_rate\": 5000000}}",
            "export, video: prores has no ‘bit_rate’; leave it out"
        ),
        (
            "{\"video\": {\"codec\": \"prores\", \"profile\": \"hp\"}}",
            "export, video: ‘profile’ is ‘hp’, which prores does not have; did you mean ‘hq’?"
        ),
        (
            "{\"video\": {\"codec\": \"vp9\", \"profile\": \"high\"}}",
            "export, video: vp9 has no ‘profile’; leave it out"
        ),
        (
            "{\"video\": {\"codec\": \"av1\", \"quality\": 0}}",
            "export, video: ‘quality’ is 0, but must lie between 1 (best) and 63 (worst) for av1"
        ),
        (
            "{\"video\": {\"codec\": \"vp9\", \"quality\": 30.5}}",
            "export, video: ‘quality’ is 30.5, but must be a whole number for vp9"
        ),
        (
            "{\"video\": {\"quality\": 64}}",
            "export, video: ‘quality’ is 64, but must lie between 0 (lossless) and 51 (worst) for h264"
        ),
        (
            "{\"container\": \"gif\", \"video\": {\"quality\": 5}}",
            "export, video: gif has no ‘quality’; leave it out, or choose another container"
        ),
        (
            "{\"audio\": {\"codec\": \"opus\", \"sample_rate\": 44100}}",
            "export, audio: ‘sample_rate’ is 44100, but must be 48000 for opus"
        ),
        (
            "{\"audio\": {\"codec\": \"flac\", \"bit_rate\": 64000}}",
            "export, audio: flac has no ‘bit_rate’; leave it out"
        ),
        (
            "{\"audio\": {\"codec\": \"mp3\", \"channels\": 6}}",
            "export, audio: ‘channels’ is 6, but must be 1 or 2 for mp3"
        ),
        (
            "{\"container\": \"mp3\", \"audio\": {\"bit_rate\": 400000}}",
            "export, audio: ‘bit_rate’ is 400000, but must lie between 8000 and 320000 bits per second for mp3"
        ),
    ]) func whatDoesNotGoTogetherIsSaidWhenItIsRead(export: String, sentence: String) throws {
        let error = #expect(throws: Problems.self) {
            _ = try Draft(
                document: .init("{\"cutroom\": 1, \"export\": \(export)}".utf8), file: "x.cutroom", folder: "/")
        }
        #expect(error?.description == "x.cutroom: \(sentence)")
    }

    @Test func otherNamesAreUnderstood() throws {
        let document =
            "{\"cutroom\": 1, \"export\": {\"container\": \"mov\", \"video\": {\"codec\": \"h265\"}, \"audio\": {\"codec\": \"pcm\"}}}"
        let draft = try Draft(document: .init(document.utf8), file: "x.cutroom", folder: "/")
        #expect(draft.export.video.codec == .hevc && draft.export.audio.codec == .pcm_s16)
        #expect(draft.document(in: "/").contains("\"hevc\"") && draft.document(in: "/").contains("\"pcm_s16\""))
    }

    /// Settings are read before the canvas' colour is known; the profile then says which codec is
    /// meant.
    @Test(arguments: [
        ("mp4", "main10", ColorSystem.hlg, VideoCodec.hevc), ("mp4", "main10", .pq, .hevc),
        ("mkv", "high10", .hlg, .h264),
        ("mp4", "main", .sdr, .h264), ("mov", "4444", .sdr, .prores), ("mov", "hq", .hlg, .prores),
    ]) func aProfileChoosesItsCodec(container: String, profile: String, color: ColorSystem, codec: VideoCodec) throws {
        let text =
            "{\"cutroom\": 1, \"export\": {\"container\": \"\(container)\", \"video\": {\"profile\": \"\(profile)\"}}}"
        var draft = try Draft(document: .init(text.utf8), file: "x", folder: "/")
        draft.canvas.color = color
        let kind = try #require(Container(rawValue: container))
        #expect(
            draft.export.videoCodec(in: kind, color: color) == codec && draft.exportProblems(in: kind, Catalog()) == [])
        draft.export.video.profile = nil
        #expect(draft.exportProblems(in: kind, Catalog()) == [], "an open profile fits every canvas")
    }

    @Test func aProfileOfAnotherDepthIsAnErrorThatNamesTheRightOne() {
        var draft = Draft()
        draft.export.video.profile = "main10"
        #expect(
            draft.exportProblems(in: .mp4, Catalog()).map(\.message) == [
                "‘profile’ is ‘main10’, but an SDR canvas has 8 bits, which hevc carries in ‘main’"
            ])
        draft.canvas.color = .pq
        draft.export.video.profile = "main"
        #expect(
            draft.exportProblems(in: .mp4, Catalog()).map(\.message) == [
                "‘profile’ is ‘main’, but a PQ canvas has 10 bits, which hevc carries in ‘main10’"
            ])
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

    @Test func aQualityIsJudgedByTheCodecThatTheOutputGets() throws {
        let text = "{\"cutroom\": 1, \"export\": {\"video\": {\"quality\": 60}}}"
        let draft = try Draft(document: .init(text.utf8), file: "x.cutroom", folder: "/")
        #expect(draft.export.usualContainer == .webm)
        for container in [Container.webm, .gif, .png, .wav] {
            #expect(draft.exportProblems(in: container, Catalog()) == [], "\(container)")
        }
        #expect(
            draft.exportProblems(in: .mp4, Catalog()).map(\.description) == [
                "x.cutroom: export, video: ‘quality’ is 60, but must lie between 0 (lossless) and 51 (worst) for h264"
            ])
    }

    @Test func whatTheLibrariesLackAndTheCanvasForbidsIsAProblem() {
        var draft = Draft()
        draft.canvas.size = .init(width: 32, height: 64)
        draft.canvas.frameRate = Rational(60)
        #expect(
            draft.exportProblems(in: .gif, Catalog()).map(\.message) == [
                "the draft has 60 frames per second, but a gif shows at most 50; set ‘fps’"
            ])
        draft.export.video.codec = .av1
        #expect(
            draft.exportProblems(in: .mp4, Catalog()).map(\.message) == [
                "the canvas is 32×64, but av1 needs at least 64×64"
            ])
        draft.canvas.size = .init(width: 64, height: 64)
        #expect(draft.exportProblems(in: .mp4, Catalog()) == [])
        let catalog = Catalog(missingCodecs: ["av1": "av1 is not there", "aac": "nor is aac"])
        #expect(
            draft.exportProblems(in: .mp4, catalog).map(\.description) == [
                "export, video: av1 is not there", "export, audio: nor is aac",
            ])
        #expect(draft.exportProblems(in: .wav, catalog) == [])
    }
}
