/// What somebody wants rendered: a draft, and where its file goes. It names files by paths of the server.
public struct RenderRequest: Hashable, Sendable, Codable {
    /// What messages call it: the script's path as it was given.
    public var name: String
    /// The draft's document, with absolute paths.
    public var document: String
    /// The file to write, an absolute path; of pictures the pattern, or a folder that ends in `/`.
    public var output: String
    public var overwrites: Bool
    /// See `--scale`; nil: whole.
    public var scale: Double?
    /// Folders of plugins, and plugins, by absolute paths.
    public var pluginPaths: [String]
    /// Parts go without the effects of plugins that fail in them.
    public var skipsFailingEffects: Bool
    /// Damaged media end the render; nil: they are reported.
    public var isStrict: Bool?

    public init(
        name: String, document: String, output: String, overwrites: Bool = false, scale: Double? = nil,
        pluginPaths: [String] = [], skipsFailingEffects: Bool = false, isStrict: Bool? = nil
    ) {
        self.name = name
        self.document = document
        self.output = output
        self.overwrites = overwrites
        self.scale = scale
        self.pluginPaths = pluginPaths
        self.skipsFailingEffects = skipsFailingEffects
        self.isStrict = isStrict
    }
}

/// How a render is to stand among others.
public struct RenderTicket: Hashable, Sendable, Codable {
    /// What messages and lists call it.
    public var name: String
    public var output: String
    public var submitter: String
    /// Higher goes first.
    public var priority: Int
    /// What a worker must have to be given its jobs.
    public var tags: Set<String>
    /// The renders that must have ended well before.
    public var after: Set<RenderID>
    /// A submitter's own name for it: the same key twice is the same render.
    public var key: String?
    /// What was asked, as a hash: a key is for one request.
    public var digest: String
    /// It came over a network, and may name little; nil: it did not.
    public var confinement: Confinement?
    /// What of its submitter's files it uses that he has sent, by content; nil: nothing.
    public var uploads: Set<String>?

    public enum Confinement: String, Hashable, Sendable, Codable {
        /// Its output lies in its submitter's own folder.
        case own
        /// Its output lies in anybody's.
        case shared
    }

    public init(
        name: String, output: String, submitter: String, digest: String, priority: Int = 0, tags: Set<String> = [],
        after: Set<RenderID> = [], key: String? = nil, confinement: Confinement? = nil,
        uploads: Set<String>? = nil
    ) {
        self.uploads = uploads
        self.confinement = confinement
        self.name = name
        self.output = output
        self.submitter = submitter
        self.digest = digest
        self.priority = priority
        self.tags = tags
        self.after = after
        self.key = key
    }
}
