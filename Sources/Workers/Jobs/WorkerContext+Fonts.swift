import Jobs
import Text

extension FontJob: Work {
    func run(in worker: WorkerContext) throws -> Reply {
        Reply(
            substitutes: fonts.map(TitleRasterizer.substitute),
            overhangs: titles.map { TitleRasterizer.overhang(of: $0) })
    }
}
