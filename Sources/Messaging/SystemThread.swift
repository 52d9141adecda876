import CPosix
import Glibc

/// POSIX threads, for the few threads that block in system calls and so must not be Swift's
/// cooperative ones.
public enum SystemThread {
    /// Starts a detached thread.
    /// - Parameter name: at most 15 bytes; shown by debuggers and `ps`.
    /// - Returns: false if the system gives no more threads.
    public static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                cposix_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard error == 0 else {
            box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Sleeps. A signal may end the sleep early.
    public static func pause(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
