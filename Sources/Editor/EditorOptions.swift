import HostCore
import Web

/// The content of an editor, and the address of its page.
package struct EditorOptions: Sendable {
    package var input: DraftInput
    package var caching: CacheOptions
    var policy: PluginPolicy
    /// Folders whose media the page shows; empty: those of the draft's files.
    package var media: [String] = []
    /// The IPv4 address at which the page is served.
    package var address = "127.0.0.1"
    /// 0: any free port.
    var port: UInt16 = 0
    /// With which the page is served over HTTPS; nil: it is served over HTTP.
    var certificate: Certificate?
    var opensBrowser = true
    /// Pages on other machines may record this one's devices.
    var allowsDevices = false
    /// The folder of the page's files; nil: the installed ones.
    var pageFolder: String?
    /// The number of workers besides the one for urgent requests.
    package var workers: Int

    package init(
        input: DraftInput, caching: CacheOptions, policy: PluginPolicy, media: [String] = [],
        address: String = "127.0.0.1", port: UInt16 = 0, certificate: Certificate? = nil,
        opensBrowser: Bool = true, allowsDevices: Bool = false,
        pageFolder: String? = nil,
        workers: Int
    ) {
        self.input = input
        self.caching = caching
        self.policy = policy
        self.media = media
        self.address = address
        self.port = port
        self.certificate = certificate
        self.opensBrowser = opensBrowser
        self.allowsDevices = allowsDevices
        self.pageFolder = pageFolder
        self.workers = workers
    }
}
