import TestSupport
import Testing

extension EndToEnd {
    /// The host never touches media: no decoder is in its process.
    @Suite struct LinkageTests {
        @Test func `the host links no media library, Pango or plugin`() throws {
            let libraries = try Command.run(["ldd", Studio.program]).text
            // ‘libswscale’ and ‘libswresample’, not Swift's own ‘libswift…’.
            #expect(libraries.contains("libc.so") && libraries.contains("libzmq"))
            for name in ["libav", "libsws", "libswr", "libx264", "libpango", "libcairo", "libcutroom_plugin"] {
                #expect(!libraries.contains(name))
            }
        }

        @Test func `the worker links no device`() throws {
            let worker = try Command.run(["ldd", Studio.products + "/cutroom-worker"]).text
            let recorder = try Command.run(["ldd", Studio.products + "/cutroom-recorder"]).text
            for name in ["libavdevice", "libpulse", "libasound", "libxcb.so"] {
                #expect(recorder.contains(name))
            }
            #expect(!worker.contains("libavdevice") && !worker.contains("libasound"))
        }

        @Test func `the worker links no Lua`() throws {
            let libraries = try Command.run(["ldd", Studio.products + "/cutroom-worker"]).text
            #expect(libraries.contains("libavcodec") && !libraries.contains("liblua"))
        }
    }
}
