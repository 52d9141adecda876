import Delivery
import Testing

@testable import Media

@Suite struct EncodersTests {
    @Test func whatIsMissingIsNamedWithItsRemedy() {
        let missing = Encoders.missing {
            $0 != "libsvtav1" && $0 != "libvpx-vp9" && $0 != "prores_ks" && $0 != "libopus"
        }
        #expect(Set(missing.keys) == ["av1", "vp9", "prores", "opus"])
        #expect(
            missing["av1"]
                == "av1 needs FFmpeg's encoder ‘libsvtav1’, which the installed libavcodec does not have; install an FFmpeg that was "
                + "built with ‘--enable-libsvtav1’ (Debian's libavcodec59 was), or choose another codec")
        #expect(
            missing["vp9"]?.contains("‘--enable-libvpx’") == true
                && missing["prores"]?.contains("complete build") == true)
        #expect(Encoders.missing { _ in true } == [:])
        #expect(Encoders.missing { _ in false }.count == VideoCodec.allCases.count + AudioCodec.allCases.count)
    }

    @Test(arguments: VideoCodec.allCases) func everyPresetAndProfileIsTheEncodersOwn(_ codec: VideoCodec) throws {
        for profile in codec.profiles.isEmpty ? [""] : codec.profiles {
            for preset in codec.presets.isEmpty ? [""] : codec.presets {
                let encoding = VideoEncoding(
                    codec: codec, quality: codec.quality?.usual, keyFrameInterval: 30, profile: profile, preset: preset)
                _ = try EncoderSetup(encoding, path: "x")
            }
        }
        for (profile, preset) in [("wide", nil), (nil, "warp")] as [(String?, String?)] {
            let encoding = VideoEncoding(
                codec: codec, quality: codec.quality?.usual, keyFrameInterval: 30, profile: profile, preset: preset)
            #expect(throws: MediaError.self) { _ = try EncoderSetup(encoding, path: "x") }
        }
    }
}
