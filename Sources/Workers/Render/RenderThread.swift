import Foundation

/// One thread for all rendering of a worker, so that plugins and font libraries always see the same
/// one.
///
/// `@unchecked`: `task` is only touched with `condition` locked.
final class RenderThread: @unchecked Sendable {
    private let condition = NSCondition()
    private var task: (@Sendable () -> Void)?
    private var hasStarted = false

    /// Runs `task` there as soon as the one before it has ended.
    func run(_ task: @escaping @Sendable () -> Void) {
        condition.lock()
        defer { condition.unlock() }
        while self.task != nil { condition.wait() }
        self.task = task
        condition.broadcast()
        guard !hasStarted else { return }
        hasStarted = true
        let thread = Thread { [self] in serve() }
        thread.name = "render"
        // The main thread's usual size: plugins were written for it.
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func serve() {
        condition.lock()
        while true {
            guard let task else {
                condition.wait()
                continue
            }
            condition.unlock()
            task()
            condition.lock()
            self.task = nil
            condition.broadcast()
        }
    }
}
