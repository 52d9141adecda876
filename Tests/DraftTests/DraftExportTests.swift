import Delivery
import Draft
import Testing
import Values

@Suite struct DraftExportTests {
    typealias Container = ExportSettings.Container

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
