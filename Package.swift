// swift-tools-version: 6.2
import PackageDescription

/// Our own targets: Swift 6 language mode (the tools version's default), every warning an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let strictC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
/// Pixel kernels are compiled with optimisation in every configuration: a debug build must still
/// render in useful time. Their bytes are the same on every machine: no multiplication and addition
/// are made one.
let kernelC: [CSetting] = [
    .unsafeFlags(["-Wall", "-Wextra", "-Werror", "-O2", "-fno-math-errno", "-ffp-contract=off"])
]
/// A plugin exports its entry symbol and nothing else.
let pluginC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror", "-O2", "-fvisibility=hidden"])]
/// Effects whose bytes are the same on every machine: no multiplication and addition are made one.
let effectC: [CSetting] = pluginC + [.unsafeFlags(["-ffp-contract=off", "-fno-math-errno"])]

/// The same for C++, which OpenCV is written in; its headers are the system's.
let visionCXX: [CXXSetting] = [
    .unsafeFlags([
        "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O2", "-fvisibility=hidden", "-ffp-contract=off",
        "-isystem", "/usr/include/opencv4", "-isystem", "/usr/local/include/opencv4",
    ])
]

/// The folders of the library of effects.
let effects = [
    "beauty", "blur", "flash", "glitch", "kaleidoscope", "mirror", "old-film", "pixelate", "shake", "sharpen",
    "soul-out", "strobe", "transform",
]

/// The folders of the library of sound effects.
let soundEffects = ["compressor", "ducking", "echo", "equalizer", "gain", "noise-reduction", "pitch"]

/// The folders of the library of sources.
let sources = ["gradient", "spectrum", "waveform"]
/// The folders of the library of transitions.
let transitions = ["burn", "circle-close", "circle-open", "cube", "luma-matte", "whip-pan", "zoom"]

/// The shipped plugins: what their libraries are called behind `libcutroom_plugin_`, and their
/// targets.
let shippedPlugins = [
    ("vignette", "VignettePlugin"), ("rgb_split", "RGBSplitPlugin"), ("effects", "EffectsPlugin"),
    ("sound", "SoundPlugin"), ("sources", "SourcesPlugin"), ("chroma_key", "ChromaKeyPlugin"),
    ("vision", "VisionPlugin"), ("libavfilter", "LibavfilterPlugin"), ("transitions", "TransitionsPlugin"),
]

/// Plugins without Swift are linked without what registers Swift types at start: for it a library
/// that has Swift's runtime inside (see `make deb`) would carry the whole runtime.
let withoutSwift: [LinkerSetting] = [.unsafeFlags(["-nostartfiles"])]

let visionLinking: [LinkerSetting] = [
    .linkedLibrary("opencv_core"), .linkedLibrary("opencv_imgproc"), .linkedLibrary("opencv_objdetect"),
    .linkedLibrary("opencv_video"), .linkedLibrary("opencv_calib3d"), .linkedLibrary("stdc++"),
    // Templates of the standard library are visible by default.
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/vision/exports.map"]),
]

/// `make test` starts four thousand programs, which are ready earlier with Swift's runtime inside,
/// as in the packages. Not under a sanitizer: its functions are to be found in the program.
let ownRuntime = Context.environment["CUTROOM_TEST_BUILD"] == "own-runtime" ? ["OwnRuntime"] : []

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let flyingFox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let orderedCollections: Target.Dependency = .product(name: "OrderedCollections", package: "swift-collections")

let package = Package(
    name: "cutroom",
    products: [
        .executable(name: "cutroom", targets: ["Host"] + ownRuntime),
        .executable(name: "cutroom-worker", targets: ["Workers"] + ownRuntime),
        .executable(name: "cutroom-recorder", targets: ["Recorder"] + ownRuntime),
    ] + shippedPlugins.map { Product.library(name: "cutroom_plugin_\($0)", type: .dynamic, targets: [$1]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        // The C side.
        .target(name: "PluginABI", cSettings: strictC),
        .target(name: "CPosix", cSettings: strictC),
        .target(
            name: "CBridges", dependencies: ["PluginABI", "CPortableMath"], cSettings: kernelC,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "CIsolation", cSettings: strictC, linkerSettings: [.linkedLibrary("seccomp")]),
        .target(name: "CFreshMemory", cSettings: strictC),
        .target(
            name: "CKernels", dependencies: ["CPortableMath"], cSettings: kernelC, linkerSettings: [.linkedLibrary("m")]
        ),
        .target(
            name: "CPortableMath", cSettings: kernelC + [.unsafeFlags(["-fvisibility=hidden"])],
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "CLua", cSettings: strictC, linkerSettings: [.linkedLibrary("lua5.4")]),
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavcodec libavformat libavutil libswscale libswresample"),
        .systemLibrary(name: "CAVDevice", pkgConfig: "libavdevice"),
        .target(
            name: "CDevices", cSettings: strictC,
            linkerSettings: [.linkedLibrary("pulse"), .linkedLibrary("asound"), .linkedLibrary("xcb")]),
        .target(
            name: "CSourceWatch", cSettings: strictC, linkerSettings: [.linkedLibrary("pulse"), .linkedLibrary("xcb")]),
        .systemLibrary(name: "CLibavfilter", pkgConfig: "libavfilter libavutil"),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebpdemux"),
        .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128"),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo pangoft2 fontconfig"),
        .systemLibrary(name: "CASS", pkgConfig: "libass"),
        .systemLibrary(name: "CZeroMQ"),
        .systemLibrary(name: "CNettle"),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls"),

        // The modules. Arrows point down only: see docs/architecture.md.
        .target(name: "Values", swiftSettings: strict),
        .target(name: "Delivery", dependencies: ["Values"], swiftSettings: strict),
        .target(name: "Draft", dependencies: ["Delivery", "Values"], swiftSettings: strict),
        .target(name: "Hashing", dependencies: ["CNettle"], swiftSettings: strict),
        .target(name: "Files", dependencies: ["Hashing", system], swiftSettings: strict),
        .target(name: "Content", dependencies: ["Files", "Hashing", "CPosix"], swiftSettings: strict),
        .target(
            name: "Composition", dependencies: ["CPortableMath", "Delivery", "Draft", "Hashing", "Values"],
            swiftSettings: strict),
        .target(name: "Jobs", dependencies: ["Composition", "Delivery", "Draft", "Values"], swiftSettings: strict),
        .target(
            name: "Rendering", dependencies: ["Composition", "CPortableMath", "Draft", "Jobs", "Values"],
            swiftSettings: strict),
        .target(name: "Preview", swiftSettings: strict),
        .target(name: "Recording", dependencies: ["Delivery", "Values"], swiftSettings: strict),
        .target(name: "Renders", swiftSettings: strict),
        .target(name: "Slurm", swiftSettings: strict),
        .target(name: "Journal", dependencies: ["Files", "Renders", grdb], swiftSettings: strict),
        .target(name: "Scripting", dependencies: ["CLua", "Delivery", "Draft", "Values"], swiftSettings: strict),
        .target(
            name: "Media",
            dependencies: [
                "CEBUR128", "CFFmpeg", "CKernels", "Content", "CPortableMath", "CPosix", "CWebP", "Delivery",
                "Draft", "Files", "Hashing", "Values",
            ],
            swiftSettings: strict),
        .target(name: "Messaging", dependencies: ["Files", "Content", "CZeroMQ", "CPosix"], swiftSettings: strict),
        .target(
            name: "PluginHosting",
            dependencies: [
                "CBridges", "Composition", "CPosix", "Draft", "Files", "Hashing", "Media", "Messaging",
                "PluginABI", "Values",
            ], swiftSettings: strict),
        .target(
            name: "PluginCheck",
            dependencies: [
                "Composition", "CPosix", "Draft", "Files", "Hashing", "Jobs", "PluginABI", "PluginHosting",
                "Values",
            ],
            swiftSettings: strict),
        .target(
            name: "Text", dependencies: ["CASS", "Composition", "CPango", "Draft", "Values"], swiftSettings: strict),
        .target(
            name: "Sound",
            dependencies: [
                "CKernels", "Composition", "CPortableMath", "Draft", "Jobs", "Media", "Messaging",
                "PluginHosting", "Values",
            ], swiftSettings: strict),
        .executableTarget(
            name: "Workers",
            dependencies: [
                "Values", "Draft", "Composition", "Files", "Content", "Jobs", "Media", "Messaging", "PluginHosting",
                "PluginCheck", "CKernels", "Agent", "Text", "Sound", "CPosix", "CFreshMemory", "CIsolation",
                "Recording",
                deque,
            ], swiftSettings: strict),
        .executableTarget(
            name: "Recorder",
            dependencies: [
                "CAVDevice", "CDevices", "CPosix", "CSourceWatch", "Delivery", "Files", "Media", "Recording", "Values",
                deque,
            ],
            swiftSettings: strict),
        .target(name: "Cleanup", dependencies: ["Files"], swiftSettings: strict),
        .target(
            name: "Farm",
            dependencies: [
                "Files", "Content", "Hashing", "Messaging", "Cleanup", "CPosix", logging, deque, heap,
                orderedCollections,
            ],
            swiftSettings: strict),
        .target(
            name: "Agent",
            dependencies: [
                "Files", "Content", "Composition", "Farm", "Messaging", "Jobs", "Cleanup", argumentParser, logging,
            ],
            swiftSettings: strict),
        .target(
            name: "HostCore",
            dependencies: [
                "Delivery", "Values", "Draft", "Scripting", "Composition", "Jobs", "Rendering", "Farm", "Cleanup",
                "Files", "Content",
                "Messaging", "Hashing", "CPosix", argumentParser, logging,
            ], swiftSettings: strict),
        .target(
            name: "RecordingHost",
            dependencies: [
                "Cleanup", "Composition", "CPosix", "Draft", "Farm", "Files", "HostCore", "Messaging", "Recording",
                "Rendering", "Values",
            ],
            swiftSettings: strict),
        .target(
            name: "Web",
            dependencies: [
                "CGnuTLS", "HostCore", "Farm", "Messaging", flyingFox,
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ], swiftSettings: strict),
        .target(
            name: "ServerClient",
            dependencies: [
                "Values", "HostCore", "Draft", "Composition", "Rendering", "Renders", "Farm", "Files", "Content",
                "Messaging",
                "Hashing", argumentParser,
            ], swiftSettings: strict),
        .target(
            name: "Server",
            dependencies: [
                "Values", "HostCore", "ServerClient", "Web", "Draft", "Composition", "Jobs", "Rendering", "Renders",
                "Journal",
                "Farm", "Cleanup", "Files", "Content", "Messaging", "Hashing", "Slurm", "CPosix", argumentParser,
                flyingFox, logging,
            ], swiftSettings: strict),
        .target(
            name: "Editor",
            dependencies: [
                "Delivery", "Values", "HostCore", "ServerClient", "Web", "Draft", "Scripting", "Composition", "Jobs",
                "Rendering", "Preview", "Recording", "RecordingHost",
                "Farm", "Files", "Cleanup", "Content", "Messaging", "Hashing", "CPosix", flyingFox, logging,
            ], resources: [.copy("Page")], swiftSettings: strict),
        .executableTarget(
            name: "Host",
            dependencies: [
                "Delivery", "Values", "HostCore", "ServerClient", "Server", "Editor", "Web", "Draft", "Scripting",
                "Composition", "Jobs", "Recording", "RecordingHost",
                "Rendering", "Renders", "Farm", "Cleanup", "Messaging", "Slurm", "CPosix", argumentParser,
                .product(name: "SwiftCSV", package: "SwiftCSV"),
            ], resources: [.embedInCode("Plugins/Templates")], swiftSettings: strict),

        .executableTarget(
            name: "QueueBench",
            dependencies: ["Farm", "Messaging", "Journal", "Renders", argumentParser], path: "Benchmarks/queue",
            swiftSettings: strict),

        // Shipped plugins.
        .target(
            name: "VignettePlugin", dependencies: ["EffectKit", "PluginABI"], path: "Plugins/vignette",
            exclude: ["effect.json"],
            publicHeadersPath: ".", cSettings: pluginC, linkerSettings: withoutSwift),
        .target(
            name: "RGBSplitPlugin", dependencies: ["PluginABI", "RGBSplitEntry", "CPortableMath"],
            path: "Plugins/rgb-split",
            exclude: ["effect.json", "exports.map", "Entry"], swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/rgb-split/exports.map"])
            ]),
        .target(
            name: "RGBSplitEntry", dependencies: ["PluginABI"], path: "Plugins/rgb-split/Entry", publicHeadersPath: ".",
            cSettings: pluginC),
        .target(
            name: "EffectKit", dependencies: ["PluginABI"], path: "Plugins/kit", publicHeadersPath: ".",
            cSettings: effectC,
            linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "EffectsPlugin", dependencies: ["EffectKit", "PluginABI"], path: "Plugins/effects",
            exclude: effects.map { $0 + "/effect.json" }, publicHeadersPath: ".", cSettings: effectC,
            linkerSettings: withoutSwift),
        .target(
            name: "SoundPlugin", dependencies: ["PluginABI", "CPortableMath"], path: "Plugins/sound",
            exclude: soundEffects.map { $0 + "/effect.json" }, publicHeadersPath: ".",
            cSettings: effectC + [.headerSearchPath("../kit")],
            linkerSettings: withoutSwift + [.linkedLibrary("m")]),
        .target(
            name: "SourcesPlugin", dependencies: ["PluginABI", "CFFmpeg", "CPortableMath"], path: "Plugins/sources",
            exclude: sources.map { $0 + "/effect.json" }, publicHeadersPath: ".",
            cSettings: effectC + [.headerSearchPath("../kit")], linkerSettings: withoutSwift + [.linkedLibrary("m")]),
        .target(
            name: "ImageReader", dependencies: ["PluginABI"], path: "Plugins/image-reader", publicHeadersPath: ".",
            cSettings: pluginC, linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("jpeg")]),
        .target(
            name: "ClipReader", dependencies: ["PluginABI", "CFFmpeg"], path: "Plugins/clip-reader",
            publicHeadersPath: ".",
            cSettings: pluginC + [.headerSearchPath("../kit")]),
        .target(
            name: "ChromaKeyPlugin", dependencies: ["EffectKit", "ImageReader", "ClipReader", "PluginABI"],
            path: "Plugins/chroma-key",
            exclude: ["effect.json"], publicHeadersPath: ".", cSettings: effectC, linkerSettings: withoutSwift),
        .target(
            name: "LibavfilterPlugin", dependencies: ["PluginABI", "CLibavfilter"],
            path: "Plugins/libavfilter",
            exclude: ["libavfilter", "libavfilter-audio", "libavfilter-pure", "xfade"].map {
                $0 + "/effect.json"
            },
            publicHeadersPath: ".", cSettings: pluginC + [.headerSearchPath("../kit")],
            linkerSettings: withoutSwift),
        .target(
            name: "TransitionsPlugin", dependencies: ["EffectKit", "ImageReader", "PluginABI"],
            path: "Plugins/transitions",
            exclude: transitions.map { $0 + "/effect.json" }, publicHeadersPath: ".", cSettings: effectC,
            linkerSettings: withoutSwift),
        .target(
            name: "VisionPlugin", dependencies: ["PluginABI"], path: "Plugins/vision",
            exclude: ["exports.map", "faces/effect.json", "camera-motion/effect.json"], publicHeadersPath: ".",
            cxxSettings: visionCXX,
            linkerSettings: withoutSwift + visionLinking),

        // Tests.
        .target(
            name: "FuzzSubjects", dependencies: ["Content", "Draft", "Messaging", "Values"],
            path: "Tests/Fuzz/Subjects",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Values", "Draft", "Hashing", "CGnuTLS", "CPango", deque],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "WorkerFixture", dependencies: ["Messaging", "Agent"], path: "Tests/WorkerFixture",
            swiftSettings: strict),
        .testTarget(name: "DeliveryTests", dependencies: ["Delivery", "Values"], swiftSettings: strict),
        .testTarget(
            name: "DraftTests", dependencies: ["Delivery", "Draft", "FuzzSubjects", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(
            name: "CompositionTests",
            dependencies: ["Composition", "Delivery", "Draft", "Jobs", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(
            name: "RenderingTests",
            dependencies: ["Composition", "Delivery", "Draft", "Jobs", "Rendering", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(name: "SlurmTests", dependencies: ["Slurm", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "PreviewTests", dependencies: ["Preview", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RecordingTests", dependencies: ["Media", "Recorder", "Recording", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(name: "RendersTests", dependencies: ["Renders", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "JournalTests", dependencies: ["Journal", "Renders", "TestSupport", grdb], swiftSettings: strict),
        .testTarget(
            name: "ScriptingTests", dependencies: ["Draft", "Scripting", "TestSupport", "Values"], swiftSettings: strict
        ),
        .testTarget(
            name: "MediaTests",
            dependencies: ["CEBUR128", "CFFmpeg", "CPosix", "Delivery", "Draft", "Media", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(
            name: "MessagingTests", dependencies: ["Content", "Messaging", "FuzzSubjects", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "KernelTests", dependencies: ["CKernels", "CPortableMath", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "WorkersTests",
            dependencies: [
                "CFreshMemory", "CKernels", "Composition", "Delivery", "Draft", "Hashing", "Jobs", "Media",
                "Messaging", "PluginABI", "PluginCheck", "PluginHosting", "Sound", "TestSupport", "Text",
                "Values", "Workers",
            ],
            exclude: ["Plugins/Fixtures", "Render/Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "SoundTests", dependencies: ["Composition", "Draft", "Media", "Sound", "TestSupport", "Values"],
            swiftSettings: strict),
        .testTarget(
            name: "TextTests", dependencies: ["CPango", "Draft", "TestSupport", "Text", "Values"], swiftSettings: strict
        ),
        .testTarget(name: "FilesTests", dependencies: ["Files", "Hashing", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ContentTests", dependencies: ["Content", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "Agent", "Content", "Farm", "WorkerFixture", "Messaging", "CZeroMQ", "TestSupport", logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FarmTests",
            dependencies: ["Farm", "WorkerFixture", "Content", "Messaging", "CPosix", "TestSupport", logging],
            swiftSettings: strict),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "Composition", "Content", "CZeroMQ", "Draft", "Editor", "Farm", "Host", "HostCore", "Jobs",
                "Journal", "Messaging", "Recording", "RecordingHost", "Renders", "Scripting", "Server",
                "ServerClient", "TestSupport",
                "Values", "Web", "Workers",
            ], swiftSettings: strict),
        // What scripts make, by the programs: none of their modules, so that it is compiled beside
        // them.
        .testTarget(
            name: "EndToEndTests", dependencies: ["TestSupport"], exclude: ["Fixtures"], swiftSettings: strict),
    ]
)

// A program that libFuzzer gives a `main`, for `make fuzz-messages` alone: no other build could
// link it.
if Context.environment["CUTROOM_FUZZ"] != nil {
    let fuzzed = ["Content", "Delivery", "Draft", "Messaging", "FuzzSubjects", "Values"]
    for target in package.targets where fuzzed.contains(target.name) {
        // Where an input goes is what libFuzzer looks at.
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzSubjects"], path: "Tests/Fuzz/Program",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}

if !ownRuntime.isEmpty {
    // What Foundation needs beside itself. Its modules tell only those who compile everything for
    // such programs, and tests cannot be.
    let libraries = [
        "FoundationInternationalization", "FoundationEssentials", "CoreFoundation", "_FoundationICU",
        "_FoundationCShims", "_FoundationCollections", "_CFURLSessionInterface", "dispatch", "BlocksRuntime",
        "swiftSynchronization",
    ]
    package.targets.append(
        .target(
            name: "OwnRuntime", path: "Tests/OwnRuntime", cSettings: strictC,
            linkerSettings: [.unsafeFlags(["-static-stdlib", "-Xlinker", "--no-export-dynamic"])]
                + libraries.map { .linkedLibrary($0) }))
}

// `make test` builds with -Onone for everybody, other people's packages among them: to optimise
// tests, and what a run spends little time in, would take longer than it saves. Optimised are
// modules that handle frames, as they are shipped, those that simulations or checks of plugins call
// thousands of times, and tests where that saves more than it costs. The driver's own -O would come
// too early for that.
let notOptimised = [
    "Editor", "Host", "HostCore", "Journal", "QueueBench", "Server", "ServerClient", "Web",
]
let optimisedTests = [
    "AgentTests", "CompositionTests", "RecordingTests", "RenderingTests", "RendersTests", "SlurmTests",
]
for target in package.targets {
    let isOptimised = target.type == .test ? optimisedTests.contains(target.name) : !notOptimised.contains(target.name)
    if Context.environment["CUTROOM_TEST_BUILD"] != nil, isOptimised {
        target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-O"]))
    } else if target.type == .test {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
    }
}
