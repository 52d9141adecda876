import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Chains of libavfilter as effects: what they make is what ffmpeg makes, and what cannot be an
/// effect is refused with a reason.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct LibavfilterTests {
    private static let (width, height, rate) = (96, 64, Rational(25))
    private static let frameSize = width * height * 3 / 2

    /// A chain at work.
    private final class Chain {
        private let instance: EffectInstance
        private let format: PluginFormat
        private var last: Int?

        init(_ graph: String, pure: Bool = false, format: PluginFormat = .yuv420p8) throws {
            let path = try #require(
                PluginFixture.shipped("libavfilter"), "libcutroom_plugin_libavfilter.so is not built")
            let effect = try PluginRegistry(searchPaths: []).load(
                path: path, effectID: pure ? "org.cutroom.libavfilter_pure" : "org.cutroom.libavfilter")
            var setup = PluginSetup(format: format, width: width, height: height, frameRate: rate)
            setup.values = ["graph": .text(graph)]
            instance = try effect.makeInstance(setup)
            self.format = format
        }

        func frame(_ number: Int, _ samples: [UInt8]) throws -> [UInt8] {
            let (input, output) = (FrameMemory(format, width, height), FrameMemory(format, width, height))
            let offsets = [0, width * height, width * height * 5 / 4]
            input.fill { plane, byte, row in
                samples[offsets[plane] + row * (format == .rgba8 ? 4 * width : plane > 0 ? width / 2 : width) + byte]
            }
            var call = FrameCall(input: input.frame, output: output.frame)
            call.index = number
            call.time = Time(frame: number, rate: rate)
            call.isDiscontinuity = last.map { $0 != number - 1 } ?? true
            last = number
            #expect(try instance.process(call) == .output && output.paddingIsUntouched)
            return output.samples
        }
    }

    private static let tags = [
        "-colorspace", "bt709", "-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "bt709",
    ]
    private static let raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p"]

    /// 40 frames of the test pattern.
    private static let source: [[UInt8]] = {
        let data = try? FFmpeg.run(["-f", "lavfi", "-i", "testsrc2=s=\(width)x\(height):r=25:d=1.6"] + raw + ["-"])
            .stdout
        return split(data ?? Data())
    }()

    private static func split(_ data: Data) -> [[UInt8]] {
        stride(from: 0, to: data.count, by: frameSize).map { Array(data[$0..<$0 + frameSize]) }
    }

    private static func byFFmpeg(_ graph: String) throws -> [[UInt8]] {
        try TemporaryFolder.with { folder in
            let path = folder.file("frames.yuv")
            try Data(source.joined()).write(to: URL(fileURLWithPath: path))
            return split(
                try FFmpeg.run(
                    raw + ["-s", "\(width)x\(height)", "-r", "25"] + tags + ["-i", path]
                        + ["-sws_flags", "bicubic+accurate_rnd+full_chroma_int+bitexact", "-vf", graph] + raw + ["-"]
                ).stdout)
        }
    }

    private static let graphs = [
        "null", "hue=s=0.3:h=40", "hue=h='t*90'", "eq=contrast=1.3:saturation=0.5", "gblur=sigma=3",
        "colorbalance=rs=0.3:bh=-0.2",
        "curves=preset=vintage", "colorchannelmixer=.3:.4:.3:0:.3:.4:.3:0:.3:.4:.3", "tmix=frames=4",
        "lagfun=decay=0.9",
        "noise=alls=20:allf=t", "fade=t=in:d=0.6", "split[a][b];[a]negate[c];[c][b]blend=all_mode=multiply",
        "scale=48:32,scale=96:64",
        "hqdn3d,unsharp", "rotate=t:c=red", "drawbox=10:10:30:20:red@0.5:fill:enable='between(t,0.2,0.8)'",
    ]

    /// Byte for byte, of filters with and without a memory, in YUV and through RGB, with values
    /// that follow the time.
    @Test(arguments: graphs.every(3))
    func framesAreThoseOfFFmpeg(graph: String) throws {
        let known = try Self.byFFmpeg(graph)
        try #require(known.count == 40 && Self.source.count == 40)
        let chain = try Chain(graph)
        for number in 0..<40 {
            #expect(try chain.frame(number, Self.source[number]) == known[number], "frame \(number)")
        }
    }

    /// The listed filters, from the table itself, each with options where it needs some to do
    /// something.
    private static let listed: [String] = {
        let options = [
            "colorbalance": "rs=0.3", "colorchannelmixer": "rr=0.5", "colorcontrast": "rc=0.5",
            "colorcorrect": "rl=0.3", "colorize": "hue=90",
            "colorlevels": "rimin=0.2", "colormatrix": "bt709:bt601", "colortemperature": "3000",
            "convolution": "0 -1 0 -1 5 -1 0 -1 0",
            "crop": "w=48:h=32:x=10*t,scale=96:64", "curves": "preset=vintage", "delogo": "x=10:y=10:w=20:h=20",
            "drawbox": "x=5:y=5:w=30:h=30",
            "eq": "contrast=1.4", "exposure": "exposure=1", "fillborders": "left=8:right=8", "format": "rgb24",
            "gblur": "sigma=2",
            "geq": "lum='lum(X,Y)+20*sin(T)'", "hsvhold": "sat=0.5", "hsvkey": "sat=0.5", "hue": "h='t*90'",
            "huesaturation": "hue=30",
            "lenscorrection": "k1=0.2", "limiter": "min=30:max=200", "lut": "y=negval", "lutrgb": "r=negval",
            "lutyuv": "y=negval",
            "noformat": "rgb24", "pad": "w=112:h=80,scale=96:64", "perspective": "x0=5:y0=5",
            "pseudocolor": "preset=magma",
            "rgbashift": "rh=4", "rotate": "t", "scale": "48:32,scale=96:64", "selectivecolor": "reds=0.3 0.2 0.1 0",
            "shear": "shx=0.2",
            "chromashift": "cbh=4", "swaprect": "w/4:h/4:0:0:w/2:h/2", "transpose": "0,scale=96:64",
            "vibrance": "intensity=0.5",
            "vignette": "dither=0", "chromakey": "green", "chromahold": "green", "colorkey": "green",
            "colorhold": "green",
            "deband": "range=8", "edgedetect": "mode=colormix", "boxblur": "2", "monochrome": "cb=0.2", "avgblur": "3",
        ]
        let text = (try? String(contentsOfFile: Project.root + "/Plugins/libavfilter/pure.c", encoding: .utf8)) ?? ""
        let table = text.components(separatedBy: "names[] = {").last?.components(separatedBy: "};").first ?? ""
        return table.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map {
            let name = String($0.element)
            return options[name].map { name + "=" + $0 } ?? name
        }
    }()

    /// All of the chains.
    @Suite struct Sweep {
        @Test(arguments: graphs) func framesAreThoseOfFFmpeg(graph: String) throws {
            try LibavfilterTests().framesAreThoseOfFFmpeg(graph: graph)
        }

        @Test(arguments: listed) func listedFiltersMakeEachFrameByItself(graph: String) throws {
            try LibavfilterTests().listedFiltersMakeEachFrameByItself(graph: graph)
        }

        @Test(arguments: soundGraphs) func soundIsThatOfFFmpeg(graph: String) throws {
            try LibavfilterTests().soundIsThatOfFFmpeg(graph: graph)
        }
    }

    @Test func theTableIsSorted() {
        let names = Self.listed.map { $0.prefix { $0 != "=" } }
        #expect(names.count > 70 && names.map(String.init) == names.map(String.init).sorted())
    }

    /// What is declared pure is: a frame alone, and after others in another order, is the frame of
    /// a run.
    @Test(arguments: listed.every(4)) func listedFiltersMakeEachFrameByItself(graph: String) throws {
        let run = try Chain(graph, pure: true)
        var frames: [[UInt8]] = []
        for number in 0..<12 { frames.append(try run.frame(number, Self.source[3 * number])) }
        let others = try Chain(graph, pure: true)
        for number in [11, 3, 4, 0, 7] {
            #expect(try others.frame(number, Self.source[3 * number]) == frames[number], "frame \(number)")
        }
        // And in RGBA.
        let rgba = try Chain(graph, pure: true, format: .rgba8), alone = try Chain(graph, pure: true, format: .rgba8)
        let pixels = EffectLab.picture(.rgba8, Self.width, Self.height).samples
        for number in 0..<3 { _ = try rgba.frame(number, pixels.reversed()) }
        #expect(try rgba.frame(3, pixels) == (try alone.frame(3, pixels)))
    }

    /// Why the others are sequential, and that a break makes them begin anew.
    @Test(arguments: ["tmix=frames=3", "lagfun"]) func memoryEndsWithABreak(graph: String) throws {
        let chain = try Chain(graph)
        let first = try chain.frame(5, Self.source[5])
        let later = try chain.frame(6, Self.source[20])
        #expect(try Chain(graph).frame(6, Self.source[20]) != later)
        #expect(try chain.frame(5, Self.source[5]) == first)
    }

    private static let refused: [(graph: String, pure: Bool, words: String)] = [
        ("hu=s=0", false, "has a filter ‘hu’, which this libavfilter does not know"),
        ("hue=q=0", false, "cannot be used: Option 'q' not found"),
        ("hue=s=0[x", false, "cannot be used: Mismatched '['"),
        ("scale=48:32", false, "makes pictures of 48×32, but the canvas is 96×64; append ‘scale=96:64’"),
        ("split", false, "must have one input and one output that are open; it has one input and several outputs"),
        ("hstack,scale=96:64", false, "it has several inputs and one output"),
        ("volume=2", false, "is not for pictures"),
        ("color=red", false, "has the filter ‘color’, which is a source"),
        ("movie=/etc/passwd", false, "the filter ‘movie’, which reads or writes files"),
        ("null,[in]lut3d@x=/tmp/a.cube", false, "the filter ‘lut3d’, which reads or writes files"),
        ("eq='a,b',subtitles=x", false, "the filter ‘subtitles’"),
        ("gblur_vulkan", false, "which needs a graphics card"),
        ("nullsink", false, "swallows what it gets"), ("realtime", false, "depends on a clock"),
        ("zmq", false, "uses the network"), ("kerndeint", false, "writes outside of its memory"),
        ("sendcmd=c='0 hue s 0',hue", false, "takes commands"),
        ("hue=h='time(0)'", false, "asks the clock"), ("drawtext=text=%{localtime}", false, "asks the clock"),
        ("setpts='PTS+RTCTIME'", false, "asks the clock (‘RTCTIME’"),
        ("metadata=print", false, "the filter ‘metadata’"),
        ("curves=psfile=/tmp/a.acv", false, "gives the filter ‘curves’ a file (‘psfile’)"),
        (
            "shufflepixels=seed=3,shufflepixels=m=block", false,
            "leaves the ‘seed’ of the filter ‘shufflepixels’ to chance"
        ),
        ("shufflepixels=seed=0-1", false, "leaves the ‘seed’"),
        ("split[a][b];[a][b]paletteuse=debug_kdtree=/tmp/none/x", false, "a file (‘debug_kdtree’)"),
        ("drawtext=/tmp/none/a.ttf", false, "gives the filter ‘drawtext’ a file (‘fontfile’)"),
        ("deshake=search=0:/tmp/none/x", false, "a value without a name after one with a name, and it could be a file"),
        ("deshake=-1:-1:x=1:/tmp/none/x", false, "a value without a name after one with a name"),
        ("drawtext=/text=/tmp/none/a.txt", false, "gives the filter ‘drawtext’ a file (‘/text’)"),
        ("null,", false, "‘’"), ("null null", false, "‘null null’"),
        ("elbg", false, "leaves the ‘seed’ of the filter ‘elbg’ to chance"),
        ("sws_flags=fast_bilinear;null", false, "begins with ‘sws_flags’"),
        (
            "tmix", true,
            "the filter ‘tmix’, which is not known to make each frame by itself; use org.cutroom.libavfilter"
        ),
        ("hue=h=n", true, "has ‘n’ in ‘h’ of the filter ‘hue’"), ("vignette", true, "add ‘dither=0’"),
        ("gblur=2:enable='gt(random(1),0.5)'", true, "‘random’ in ‘enable’"), ("geq=lum='st(0,ld(0)+1)'", true, "‘ld’"),
        ("format=rgb8", true, "‘rgb8’"), ("[", false, "cannot be used"),
        (String(repeating: "null,", count: 400) + "x", false, "‘x’"),
    ]

    @Test(arguments: refused) func whatCannotBeAnEffectIsRefused(graph: String, pure: Bool, words: String) {
        let error = #expect(throws: PluginError.self) { try Chain(graph, pure: pure) }
        #expect(
            error?.reason.contains("the chain ‘") == true && error?.reason.contains(words) == true,
            "\(String(describing: error))")
        // Addresses differ each time.
        #expect(error?.reason.contains("0x") == false)
    }

    /// Some filters empty their file as soon as they are made, and libavutil reads more than one
    /// way of naming it.
    @Test(arguments: [
        "deshake=filename=FILE", "deshake=filename =FILE", "deshake= filename\n=FILE", "deshake=file\\name=FILE",
        "deshake='filename'=FILE", "deshake='filename=FILE'", "deshake=-1:-1:-1:-1:16:16:1:8:125:0:FILE",
        "deshake =rx=16:filename=FILE", "deshake@a=filename=FILE",
        "\n[in] [x] deshake = filename = FILE [out]", "null,[a]deshake='file'name=FILE[b];[b]null",
        "des\\hake=filename=FILE",
        "null;deshake=filename=FILE,nosuch",
    ])
    func noFileIsTouched(graph: String) throws {
        try TemporaryFolder.with { folder in
            let path = folder.file("precious")
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: PluginError.self) {
                try Chain(graph.replacingOccurrences(of: "FILE", with: path))
            }
            #expect(
                error?.reason.contains("gives the filter ‘deshake’ a file (‘filename’)") == true,
                "\(String(describing: error))")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }
    }

    /// What has blanks, quotes and labels is not refused for them.
    @Test(arguments: [
        "[in] hue = s=0 : h='90' [x] ; [x] eq@a = contrast=1.2 [out]", " deshake=rx=16:ry='16' , null\n",
        "drawbox=10:10:30:20:red@0.5", "drawbox=x=1:y=1:w='min(10,20)':h=10:t=fill", "[in]null[out]",
        "drawbox=x=10:10:30:20:red@0.5", "deshake=-1:-1:edge=3", "format=yuv420p|yuv444p",
    ])
    func otherOptionsAreLeftAlone(graph: String) throws {
        _ = try Chain(graph)
    }

    @Test(arguments: [
        (
            "reverse",
            "has the filter ‘reverse’, which waits for the last frame; an effect must give one frame for each; a clip's ‘reverse’"
        ),
        ("tblend", "holds frames back"), ("shuffleframes=1 0", "holds frames back"),
        ("yadif=1", "makes 50 frames a second of 25; an effect must give one for each"),
        (
            "fps=25",
            "which changes how many frames there are; an effect must give one frame for each; the draft's ‘fps’"
        ),
        ("[in]null,mpdecimate@x[out]", "‘mpdecimate’, which leaves frames out"),
        ("zoompan=d=3:s=96x64:fps=25", "gave several frames for frame 0; an effect must give one for each; ‘d=1’"),
        ("setpts=N/FRAME_RATE/TB*2", "changes when frames are shown; an effect gives each frame at its own time"),
    ])
    func chainsThatAreNotFrameForFrameFail(graph: String, words: String) throws {
        let error = #expect(throws: PluginError.self) {
            let chain = try Chain(graph)
            for number in 0..<3 { _ = try chain.frame(number, Self.source[number]) }
        }
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
        #expect(error?.code == .invalidParameter)
    }

    private static let soundGraphs = [
        "anull", "volume=0.5", "highpass=f=300", "acompressor=threshold=0.1", "aecho=0.8:0.9:40:0.3", "tremolo=f=5",
        "volume='1+0.5*sin(t)':eval=frame",
    ]

    /// The sound is ffmpeg's to the sample, however it is cut into blocks.
    @Test(arguments: soundGraphs.every(2))
    func soundIsThatOfFFmpeg(graph: String) throws {
        let signal = { (index: Int) in 0.4 * sin(Double(index) * 0.05) + 0.2 * sin(Double(index) * 0.31) }
        let made = try SoundLab.run(
            "libavfilter_audio", texts: ["graph": graph], seconds: 1, library: "libavfilter", signal)
        try TemporaryFolder.with { folder in
            let floats = (0..<48_000).flatMap { [Float](repeating: Float(signal($0)), count: 2) }
            try floats.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder.file("in.raw")))
            let format = ["-f", "f32le", "-ar", "48000", "-ac", "2"]
            let blocks = graph.contains("eval=frame") ? "asetnsamples=256," : ""
            let data = try FFmpeg.run(format + ["-i", folder.file("in.raw"), "-af", blocks + graph] + format + ["-"])
                .stdout
            let known = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            // An echo goes on, and blocks are filled up.
            try #require(known.count >= 96_000)
            let most = made.enumerated().map { abs($0.element - Double(known[2 * $0.offset])) }.max() ?? 1
            #expect(most < 1e-6, "\(most)")
        }
    }

    @Test(arguments: [
        ("afftdn", "gave 0 samples for 256: it holds sound back"),
        (
            "atempo=2",
            "changes how long sound lasts; an effect must give one sample for each; a clip's ‘speed’ does that"
        ),
        ("aformat=sample_rates=44100", "holds sound back or changes its length"), ("sine", "is a source"),
        ("hue", "is not for sound"),
        ("arnndn=m=x", "reads or writes files"),
    ])
    func soundThatCannotBeAnEffectIsRefused(graph: String, words: String) {
        let error = #expect(throws: (any Error).self) {
            try SoundLab.run("libavfilter_audio", texts: ["graph": graph], seconds: 0.1, library: "libavfilter") { _ in
                0.1
            }
        }
        #expect("\(String(describing: error))".contains(words), "\(String(describing: error))")
    }
}
