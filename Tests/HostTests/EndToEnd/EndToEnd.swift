import TestSupport
import Testing

/// The end-to-end tests of servers, nodes and the editor: each has its own studio.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct EndToEnd {}
