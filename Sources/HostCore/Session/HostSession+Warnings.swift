import Draft
import Farm
import Foundation
import Jobs

/// What renders, but is hardly meant.
extension HostSession {
    package func sayWarnings(of draft: Draft) async throws {
        for warning in try await warnings(of: draft) { Console.warn(Finding(warning)) }
    }

    /// Refuses what `--strict` refuses before anything is rendered.
    /// - Throws: `data` where sound that is played cannot be decoded, or the end of a file that is
    ///   used is missing.
    package func refuseLosses(of draft: Draft) throws(HostError) {
        let losses = draft.losses(catalog).map { Finding($0).text }
        guard let first = losses.first else { return }
        throw HostError(
            .data, "\(first). Without ‘--strict’ what can be decoded is rendered.", details: Array(losses.dropFirst()))
    }

    /// Takes what messages are to call the files.
    package func call(_ names: PathNames) { known.withLock { $0.catalog.names = names } }

    package func warnings(of draft: Draft) async throws -> [Problem] {
        try await learn(draft.fonts, draft.placedTitles(catalog))
        return draft.warnings(catalog)
    }

    /// The families that workers draw in the place of fonts. Blocks: not for asynchronous code.
    package func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] {
        try wait { try await self.learn(fonts, []) }
        return catalog.substitutes
    }

    /// Returns what of titles lies outside their canvases. Blocks: not for asynchronous code.
    package func overhangs(of titles: Set<PlacedTitle>) throws -> [PlacedTitle: PlacedTitle.Overhang] {
        try wait { try await self.learn([], titles) }
        return catalog.overhangs
    }

    /// Asks a worker for the fonts and titles that none was asked for yet.
    private func learn(_ fonts: Set<TitleFont>, _ titles: Set<PlacedTitle>) async throws {
        guard let job = missing(fonts, titles) else { return }
        do throws(QueueError) {
            record(job, try await reply(to: job))
        } catch {
            // A font file that ends its worker: drawing says that, and of the right title.
            guard error.isAboutTheJob else { throw error }
            record(job, nil)
        }
    }

    /// Returns a job for the fonts and titles that no worker was asked for yet; nil where there are none.
    private func missing(_ fonts: Set<TitleFont>, _ titles: Set<PlacedTitle>) -> FontJob? {
        let (oldFonts, oldTitles) = known.withLock { ($0.fonts, $0.titles) }
        let (fonts, titles) = (fonts.subtracting(oldFonts), titles.subtracting(oldTitles))
        return fonts.isEmpty && titles.isEmpty
            ? nil
            : FontJob(
                fonts: fonts.sorted { ($0.name, $0.file ?? "") < ($1.name, $1.file ?? "") },
                titles: titles.sorted { ($0.title.text, $0.title.size) < ($1.title.text, $1.title.size) })
    }

    private func record(_ job: FontJob, _ found: FontJob.Reply?) {
        known.withLock { known in
            known.fonts.formUnion(job.fonts)
            known.titles.formUnion(job.titles)
            for (font, substitute) in zip(job.fonts, found?.substitutes ?? []) {
                known.catalog.substitutes[font] = substitute
            }
            for (title, overhang) in zip(job.titles, found?.overhangs ?? []) {
                known.catalog.overhangs[title] = overhang
            }
        }
    }
}
