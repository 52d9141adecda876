import Cleanup
import Composition
import Draft
import Farm
import Files
import Foundation
import HostCore
import Messaging
import Recording
import Synchronization

/// The effects that a recording puts on its live pictures, in the folder from which the recorder's
/// process for them takes them. A plugin that crashes or hangs is left out from then on.
package final class LiveEffectList: Sendable {
    private let plan: Mutex<LivePlan>
    private let folder: RuntimeDirectory
    private let program: String

    /// - Throws: `cannotCreate` if there is no room for the plan.
    package init(_ plan: LivePlan, program: String = JobQueue.Configuration.usualWorkerPath) throws(HostError) {
        do {
            folder = try RuntimeDirectory(parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-live-")
        } catch {
            throw HostError(.cannotCreate, error.description)
        }
        self.plan = Mutex(plan)
        self.program = program
        try write(plan)
    }

    /// Removes the folder. To be called when no recorder needs it any more.
    package func close() { folder.remove() }

    /// What the recorder starts; nil if no effects are left.
    package var launch: LiveLaunch? {
        let plan = plan.withLock { $0 }
        guard !plan.isEmpty else { return nil }
        return LiveLaunch(
            program: program, folder: folder.path, width: plan.slice.size.width, height: plan.slice.size.height)
    }

    /// Leaves out the plugin's effect in which the process ended, or was ended because it hung or
    /// was too slow; all effects if it was in none.
    /// - Parameter reason: what the recorder reported: the second half of a sentence.
    /// - Returns: a sentence.
    package func leaveOut(_ reason: String) -> String {
        guard let launch else { return "The live effects are left out." }
        let crumb = Breadcrumb.read(file: launch.breadcrumb)
        let complaint = (try? Data(contentsOf: URL(fileURLWithPath: launch.complaint)))
            .flatMap { try? JSONDecoder().decode(LiveComplaint.self, from: $0) }
        for path in [launch.breadcrumb, launch.complaint] { unlink(path) }
        let culprit = complaint.map { ($0.library ?? "", $0.effectID ?? "") } ?? crumb.map { ($0.path, $0.effectID) }
        let told = complaint.map { ": " + $0.message } ?? "."
        let rest = plan.withLock { plan -> LivePlan? in
            let rest = culprit.flatMap { plan.leavingOut($0.1, of: $0.0) }
            if let rest { plan = rest } else { plan.slice.instructions.removeAll() }
            return rest
        }
        guard let rest, let culprit, (try? write(rest)) != nil else {
            return "The live effects \(reason), and are left out from now on\(told)"
        }
        return "The live effect ‘\(culprit.1)’ \(reason), and is left out from now on\(told)"
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
        let path = folder.path + "/plan.json"
        do {
            try JSONEncoder().encode(plan).write(to: URL(fileURLWithPath: path))
        } catch {
            throw HostError(.cannotCreate, "‘\(path)’ cannot be written: \(error.localizedDescription)")
        }
    }
}
