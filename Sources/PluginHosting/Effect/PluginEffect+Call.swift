import Draft
import Values

extension PluginEffect {
    /// What is given for its parameters at its own time `time`.
    package func values(at time: Time, _ descriptor: EffectDescriptor) -> [String: ParameterInput] {
        var result: [String: ParameterInput] = [:]
        for (key, value) in parameters {
            switch value {
            case .numbers(let animated):
                let parameter = descriptor.parameters.first { $0.id == key }
                result[key] = .numbers(parameter?.numbers(of: animated, at: time) ?? animated.value(at: time))
            case .choices(let keys): result[key] = .text(keys.choice(at: time))
            case .text(let text), .path(let text): result[key] = .text(text)
            }
        }
        return result
    }

    /// What cannot change with time.
    package func setupValues(_ descriptor: EffectDescriptor) -> [String: ParameterInput] {
        values(at: .zero, descriptor).filter { key, _ in
            descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
    }

    /// The same for the same use in the draft and frame, or sample, in every run: FNV-1a over the
    /// effect's id and the use's name, then SplitMix64 over the index.
    /// - Parameter name: ``Composition/CompositionEffect/seedName``.
    package func seed(_ index: Int, name: String?) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in effectID.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in (name ?? "").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var z = hash &+ UInt64(bitPattern: Int64(index)) &* 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
