import Messaging

/// What goes around each call into foreign code: a breadcrumb for whoever finds the process dead, and the state of the thread, which is
/// given back.
package struct PluginTrail {
    /// Takes what a call has changed of its thread, in that thread; it was given back.
    package typealias Notice = (Breadcrumb, ThreadState.Change) -> Void

    private let writer: BreadcrumbWriter?
    private let notice: Notice

    /// - Parameter writer: nil: it leaves no breadcrumb.
    package init(writer: BreadcrumbWriter? = nil, notice: @escaping Notice = { _, _ in }) {
        (self.writer, self.notice) = (writer, notice)
    }

    func mark<R>(_ crumb: @autoclosure () -> Breadcrumb, _ body: () -> R) -> R {
        writer?.write(crumb())
        let state = ThreadState()
        let result = body()
        let changes = state.restore()
        writer?.clear()
        for change in changes { notice(crumb(), change) }
        return result
    }
}
