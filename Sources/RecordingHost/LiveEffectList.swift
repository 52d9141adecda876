import Cleanup
import Composition
import Draft
import Farm
import Files
import Foundation
import HostCore
import Messaging
import Recording
import Rendering
import Synchronization

/// The effects that a recording puts on its live pictures, in the folder from which the recorder's
/// process for them takes them. A plugin that crashes or hangs is left out from then on.
package final class LiveEffectList: Sendable {
    private let plan: Mutex<LivePlan>
    private let folder: RuntimeDirectory
    private let files: LiveFolder
    private let program: String

    /// - Throws: `cannotCreate` if there is no room for the plan.
    package init(_ plan: LivePlan, program: String = JobQueue.Configuration.usualWorkerPath) throws(HostError) {
        do {
            folder = try RuntimeDirectory(parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-live-")
        } catch {
            throw HostError(.cannotCreate, error.description)
        }
        files = LiveFolder(folder.path)
        self.plan = Mutex(plan)
        self.program = program
        do throws(HostError) {
            try write(plan)
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Removes the folder. To be called when no recorder needs it any more.
    package func close() { folder.remove() }

    /// What the recorder starts; nil if no effects are left.
    package var launch: LiveLaunch? {
        let plan = plan.withLock { $0 }
        guard !plan.isEmpty else { return nil }
        return LiveLaunch(
            program: program, folder: files, width: plan.slice.size.width, height: plan.slice.size.height)
    }

    /// Leaves out the plugin's effect in which the process ended, or was ended because it hung or
    /// was too slow; all effects if it was in none.
    /// - Parameter reason: what the recorder reported: the second half of a sentence.
    /// - Returns: a sentence.
    package func leaveOut(_ reason: String) -> String {
        let crumb = Breadcrumb.read(file: files.breadcrumb)
        let complaint = (try? Data(contentsOf: URL(fileURLWithPath: files.complaint)))
            .flatMap { try? JSONDecoder().decode(LiveComplaint.self, from: $0) }
        for path in [files.breadcrumb, files.complaint] { unlink(path) }
        let culprit =
            complaint.map { Culprit(library: $0.library ?? "", effectID: $0.effectID ?? "") }
            ?? crumb.map { Culprit(library: $0.path, effectID: $0.effectID) }
        // The complaint is a sentence of its own.
        let told = complaint.map { ": " + $0.message } ?? "."
        let isWritten = plan.withLock { plan in
            guard let culprit, let rest = plan.leavingOut(culprit.effectID, of: culprit.library),
                (try? write(rest)) != nil
            else {
                plan.slice.instructions.removeAll()
                return false
            }
            plan = rest
            return true
        }
        guard isWritten, let culprit else {
            return "The live effects \(reason), and are left out from now on\(told)"
        }
        let (name, verb) =
            culprit.effectID.isEmpty
            ? ("The live effects of ‘\(culprit.library)’", "are") : ("The live effect ‘\(culprit.effectID)’", "is")
        return "\(name) \(reason), and \(verb) left out from now on\(told)"
    }

    /// Writes a draft of live effects, for the next recording.
    package static func keep(_ draft: Draft, at path: String) throws(HostError) {
        let document = draft.document(in: (path as NSString).deletingLastPathComponent)
        do throws(Errno) {
            try OpenFile.make(path, Array(document.utf8), permissions: .readableByAll, replaces: true, isDurable: true)
        } catch {
            throw HostError(.cannotCreate, "‘\(path)’ cannot be written: \(error).")
        }
    }

    private func write(_ plan: LivePlan) throws(HostError) {
        do {
            try JSONEncoder().encode(plan).write(to: URL(fileURLWithPath: files.plan), options: .atomic)
        } catch {
            throw HostError(.cannotCreate, "‘\(files.plan)’ cannot be written: \(error.localizedDescription)")
        }
    }
}
