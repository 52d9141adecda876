import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Clocks that are far off, as on a machine without a battery.
    @Suite struct ClockTests {
        /// Shifts the wall clock of a process and its workers by `CLOCK_OFFSET` seconds.
        private static let shim = """
            #define _GNU_SOURCE
            #include <stdlib.h>
            #include <sys/syscall.h>
            #include <sys/time.h>
            #include <time.h>
            #include <unistd.h>
            int clock_gettime(clockid_t clock, struct timespec *time) {
                const long result = syscall(SYS_clock_gettime, clock, time);
                const char *offset = getenv("CLOCK_OFFSET");
                const int isWall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
                if (result == 0 && isWall && offset) time->tv_sec += atol(offset);
                return (int)result;
            }
            int gettimeofday(struct timeval *restrict value, void *restrict zone) {
                struct timespec now;
                (void)zone;
                clock_gettime(CLOCK_REALTIME, &now);
                value->tv_sec = now.tv_sec;
                value->tv_usec = now.tv_nsec / 1000;
                return 0;
            }
            time_t time(time_t *result) {
                struct timespec now;
                clock_gettime(CLOCK_REALTIME, &now);
                if (result) *result = now.tv_sec;
                return now.tv_sec;
            }
            """

        /// Before 1970, after 2262 and after the year 9000.
        @Test(arguments: [-3_000_000_000, 10_000_000_000, 250_000_000_000])
        func `a render does not depend on the time of day`(offset: Int) throws {
            let studio = try Studio()
            try studio.folder.write(Self.shim, to: "shim.c")
            let shim = studio.file("shim.so")
            let built = try Command.run(["cc", "-shared", "-fPIC", "-o", shim, studio.file("shim.c")])
            try #require(built.succeeded, "\(built)")
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })")
            let usual = try Data(contentsOf: URL(fileURLWithPath: try studio.render(to: "usual.mp4")))
            studio.environment["LD_PRELOAD"] = shim
            studio.environment["CLOCK_OFFSET"] = "\(offset)"
            let date = try Command.run(["date", "+%s"], environment: studio.environment)
            let seconds = try #require(Int(date.text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(abs(seconds - offset - Int(Date().timeIntervalSince1970)) < 1000, "the clock is moved")
            let output = try studio.render(to: "moved.mp4", with: ["--no-cache"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == usual)
            // The cache, also with entries from another time.
            try studio.render(to: "cached.mp4")
            #expect(try studio.run(["cache"]).succeeded)
        }

        /// File systems store times that do not fit a count of nanoseconds.
        @Test(arguments: ["2400-01-01", "1600-01-01"]) func `a file's time may be any`(date: String) throws {
            let studio = try Studio()
            let copy = studio.file("copy.mp4")
            try FileManager.default.copyItem(atPath: try Footage.silent, toPath: copy)
            let touched = try Command.run(["touch", "-d", date, copy])
            try #require(touched.succeeded, "\(touched)")
            try studio.script("draft:add_clip(\"copy.mp4\", { range = { 0, 0.2 } })")
            try studio.render()
        }
    }
}
