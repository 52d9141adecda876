import TestSupport
import Testing

/// The end-to-end tests of servers, nodes and the editor: each has a studio of its own.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct EndToEnd {}
