import Composition

extension Job {
    /// The paths of the plugin libraries that the job opens. What such a library does to its process may show in all that is made there, so
    /// what the job makes depends on them, and its key, where it has one, has all of them.
    public var libraries: Set<String> {
        switch self {
        case .inspect(let job): Set(job.searchPaths).subtracting(job.leftOut)
        case .trial(let job): [job.plugin.path]
        case .analysis(let job): [job.plugin.path]
        case .segment(let job): job.slice.libraries
        case .snapshot(let job): job.slice.libraries
        case .sound(let job): job.libraries
        case .soundPieces(let job): job.sound.libraries
        case .probe, .fonts, .assemble, .verify, .peaks: []
        }
    }
}
