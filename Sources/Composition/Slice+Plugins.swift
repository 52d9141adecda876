extension Slice {
    /// The same frames without a plugin's effect, wherever the slice uses it: the picture passes through, a transition becomes a
    /// dissolve, and a generated clip shows the background. What is warmed up or looked around for stays as it was.
    /// - Parameters:
    ///   - id: the effect's; empty: all effects of the library.
    ///   - library: its path.
    /// - Returns: nil where the slice does not use it.
    public func leavingOut(_ id: String, of library: String) -> Slice? {
        let unwanted = Set(
            effects.indices.filter { index in
                guard let effect = effects[index].effect.plugin, effects[index].plugin?.path == library else {
                    return false
                }
                return id.isEmpty || effect.effectID == id
            })
        var slice = self
        for index in slice.instructions.indices { slice.instructions[index].leaveOut(unwanted) }
        return slice.instructions == instructions ? nil : slice
    }
}

extension Instruction {
    /// - Parameter unwanted: numbers of effects.
    fileprivate mutating func leaveOut(_ unwanted: Set<Int>) {
        effects.removeAll { unwanted.contains($0.effect) }
        for index in layers.indices {
            layers[index].effects.removeAll { unwanted.contains($0.effect) }
            if let use = layers[index].generator, unwanted.contains(use.effect) { layers[index].generator = nil }
        }
        if case .effect(let number)? = transition?.style, unwanted.contains(number) {
            transition?.style = .builtIn(.dissolve)
        }
    }
}
