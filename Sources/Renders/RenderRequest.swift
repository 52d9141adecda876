/// A request to render a draft to a file. All paths are those of the server.
public struct RenderRequest: Hashable, Sendable, Codable {
    /// The name in messages: the script's path as it was given.
    public var name: String
    /// The draft's document, with absolute paths.
    public var document: String
    /// The output, an absolute path; for pictures the pattern, or a folder that ends in `/`.
    public var output: String
    public var overwrites: Bool
    /// See `--scale`; nil: full size.
    public var scale: Double?
    /// Plugins and folders of plugins, as absolute paths.
    public var pluginPaths: [String]
    /// Parts are rendered without plugin effects that fail.
    public var skipsFailingEffects: Bool
    /// Damaged media fail the render; nil: they are reported.
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

/// The properties of a render that decide when and where it runs.
public struct RenderTicket: Hashable, Sendable, Codable {
    /// The name in messages and lists.
    public var name: String
    public var output: String
    public var submitter: String
    /// Higher values run first.
    public var priority: Int
    /// The tags that a worker needs to receive its jobs.
    public var tags: Set<String>
    /// The renders that must be done before.
    public var after: Set<RenderID>
    /// The submitter's own name for the render: the same key refers to the same render.
    public var key: String?
    /// The hash of the request: a key is for one request.
    public var digest: String
    /// The restrictions of a render that came over a network; nil for others.
    public var confinement: Confinement?
    /// The uploaded files that it uses, by content; nil: none.
    public var uploads: Set<String>?

    public enum Confinement: String, Hashable, Sendable, Codable {
        /// Its output must be in its submitter's own folder.
        case own
        /// Its output may be in any submitter's folder.
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
