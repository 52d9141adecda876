import Draft
import Farm
import Foundation
import Jobs

/// What renders, but is hardly meant.
extension HostSession {
    func sayWarnings(of draft: Draft) async throws {
        for warning in try await warnings(of: draft) { Console.warn(Finding(warning)) }
    }

    /// Takes what messages are to call the files.
    func call(_ names: PathNames) { known.withLock { $0.catalog.names = names } }

    func warnings(of draft: Draft) async throws -> [Problem] {
        try await learn(draft.fonts)
        return draft.warnings(catalog)
    }

    /// The families that workers draw in the place of fonts. Blocks: not for asynchronous code.
    func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] {
        try wait { try await self.learn(fonts) }
        return catalog.substitutes
    }

    /// Asks a worker for the fonts that none was asked for yet.
    private func learn(_ fonts: Set<TitleFont>) async throws {
        guard let job = missing(fonts) else { return }
        do throws(QueueError) {
            record(job, try await result(of: .fonts(job)))
        } catch {
            // A font file that ends its worker: drawing says that, and of the right title.
            guard error.isAboutTheJob else { throw error }
            record(job, Data())
        }
    }

    /// A job for the fonts that no worker was asked for yet; nil where there are none.
    private func missing(_ fonts: Set<TitleFont>) -> FontJob? {
        let fonts = fonts.subtracting(known.withLock { $0.fonts })
        return fonts.isEmpty
            ? nil : FontJob(fonts: fonts.sorted { ($0.name, $0.file ?? "") < ($1.name, $1.file ?? "") })
    }

    private func record(_ job: FontJob, _ reply: Data) {
        let found = (try? JSONDecoder().decode(FontJob.Reply.self, from: reply))?.substitutes ?? []
        known.withLock { known in
            known.fonts.formUnion(job.fonts)
            for (font, substitute) in zip(job.fonts, found) { known.catalog.substitutes[font] = substitute }
        }
    }
}
