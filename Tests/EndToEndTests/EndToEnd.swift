import TestSupport
import Testing

/// The end-to-end tests: each has a studio of its own. They know the programs alone, and none of
/// the product's modules.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct EndToEnd {}

/// The end-to-end tests of plugins.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct EndToEndPlugins {}
