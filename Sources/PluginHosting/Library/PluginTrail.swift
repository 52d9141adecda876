import Messaging

/// Leaves a breadcrumb around each call into foreign code.
package struct PluginTrail {
    private let writer: BreadcrumbWriter?

    /// - Parameter writer: nil: it leaves none.
    package init(writer: BreadcrumbWriter? = nil) { self.writer = writer }

    func mark<R>(_ crumb: @autoclosure () -> Breadcrumb, _ body: () -> R) -> R {
        guard let writer else { return body() }
        writer.write(crumb())
        defer { writer.clear() }
        return body()
    }
}
