import Delivery
import Draft
import Farm
import Foundation
import Jobs
import Values

/// Warnings: drafts that are valid, but probably a mistake.
extension HostSession {
    /// Prints the warnings about a draft.
    /// - Parameter container: the kind of the output; nil if no file is written.
    package func sayWarnings(of draft: Draft, in container: ExportSettings.Container?) async throws {
        for warning in try await warnings(of: draft, in: container) { Console.warn(Finding(warning)) }
    }

    /// Refuses what `--strict` refuses, before anything is rendered.
    /// - Throws: `data` if sound that is played cannot be decoded, or the end of a used file is
    ///   missing.
    package func refuseLosses(of draft: Draft) throws(HostError) {
        let losses = draft.losses(catalog).map { Finding($0).text }
        guard let first = losses.first else { return }
        throw HostError(
            .data, "\(first). Without ‘--strict’ what can be decoded is rendered.", details: Array(losses.dropFirst()))
    }

    /// Sets the names of files in messages.
    package func call(_ names: PathNames) { known.withLock { $0.catalog.names = names } }

    /// Returns the warnings about a draft.
    /// - Parameter container: the kind of the output; nil if no file is written.
    package func warnings(of draft: Draft, in container: ExportSettings.Container?) async throws -> [Problem] {
        try await learn(draft.fonts, draft.placedTitles(catalog))
        return draft.warnings(catalog, in: container)
    }

    /// Returns the families that workers substitute for missing fonts. Blocks: not for asynchronous
    /// code.
    package func substitutes(for fonts: Set<TitleFont>) throws -> [TitleFont: String] {
        try wait { try await self.learn(fonts, []) }
        return catalog.substitutes
    }

    /// Returns the parts of titles that lie outside their canvases. Blocks: not for asynchronous
    /// code.
    package func overhangs(of titles: Set<PlacedTitle>) throws -> [PlacedTitle: PlacedTitle.Overhang] {
        try wait { try await self.learn([], titles) }
        return catalog.overhangs
    }

    /// Asks a worker about the fonts and titles that are not known yet.
    private func learn(_ fonts: Set<TitleFont>, _ titles: Set<PlacedTitle>) async throws {
        guard let job = missing(fonts, titles) else { return }
        do throws(QueueError) {
            record(job, try await reply(to: job))
        } catch {
            // A font file that ends its worker is reported when its title is drawn.
            guard error.isAboutTheJob else { throw error }
            record(job, nil)
        }
    }

    /// Returns a job for the fonts and titles that are not known yet; nil if there are none.
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
