import Messaging
import Synchronization

/// What goes around each call into foreign code: a breadcrumb for the process that finds this one
/// dead, and the state of the thread, which is given back.
package struct PluginTrail {
    /// Takes what a call has changed of its thread, in that thread; it was given back.
    package typealias Notice = (Breadcrumb, ThreadState.Change) -> Void

    /// The call in progress, for the code that receives the plugin's messages. Any thread may ask.
    package final class Current: Sendable {
        private let crumb = Mutex<Breadcrumb?>(nil)
        package init() {}
        package var call: Breadcrumb? { crumb.withLock { $0 } }
        fileprivate func set(_ new: Breadcrumb?) { crumb.withLock { $0 = new } }
    }

    private let writer: BreadcrumbWriter?
    private let current: Current?
    private let notice: Notice

    /// - Parameter writer: nil: it leaves no breadcrumb.
    package init(
        writer: BreadcrumbWriter? = nil, current: Current? = nil, notice: @escaping Notice = { _, _ in }
    ) {
        (self.writer, self.current, self.notice) = (writer, current, notice)
    }

    func mark<R>(_ crumb: @autoclosure () -> Breadcrumb, _ body: () -> R) -> R {
        writer?.write(crumb())
        if let current { current.set(crumb()) }
        let state = ThreadState()
        let result = body()
        let changes = state.restore()
        writer?.clear()
        current?.set(nil)
        for change in changes { notice(crumb(), change) }
        return result
    }
}
