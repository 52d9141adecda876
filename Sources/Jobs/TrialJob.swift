import Composition
import Draft

/// Makes an instance of a plugin's effect as a render would, lets it make a few frames where it has
/// state, and drops it again: whether the plugin takes the values that cannot change with time (a
/// chain of filters, a model) only it can say.
public struct TrialJob: WorkerJob {
    public static let kind = "trial"

    /// With the parameters that cannot change with time.
    public var effect: PluginEffect
    public var plugin: PluginUse
    public var stage: EffectStage

    /// - Parameter catalog: has what is known of the files and the plugin.
    /// - Returns: nil where it lacks the plugin.
    public init?(_ use: DraftPluginUse, of draft: Draft, _ catalog: Catalog) {
        guard let descriptor = catalog.effect(use.effect.effectID) else { return nil }
        effect = use.effect
        effect.parameters = effect.parameters.filter { id, _ in
            descriptor.parameters.first { $0.id == id }?.isAnimatable == false
        }
        plugin = PluginUse(descriptor)
        stage = EffectStage(of: use, descriptor, in: draft, catalog)
    }

    public struct Reply: Sendable, Codable {
        /// What the plugin does not take, and why, as a sentence without a subject; nil: nothing.
        public var refusal: String?

        public init(refusal: String?) { self.refusal = refusal }
    }
}

extension TrialJob {
    public mutating func mapPaths(_ change: PathChange) {
        effect.mapFiles { change($0, .hands(nil)) }
        plugin.mapPath(change)
    }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) { reply.refusal = reply.refusal.map(terms.text) }

    public var libraries: Set<String> { [plugin.path] }
}
