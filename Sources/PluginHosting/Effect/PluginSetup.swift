import Values

/// What stays the same for the life of an instance.
package struct PluginSetup: Hashable {
    package var format: PluginFormat
    /// Pixels.
    package var width: Int
    package var height: Int
    package var pixelAspect: Rational = .one
    /// Frames per second.
    package var frameRate: Rational
    package var color: PluginColor
    /// The number of threads that the effect may keep busy.
    package var maximumThreads = 1
    /// A preview: speed before beauty.
    package var isDraft = false
    /// True where frames are lent in guarded memory (``GuardedCall``).
    package var isGuarded = false
    /// The form of the sound; then width and height are 0. Nil for pictures.
    package var sound: PluginSound?
    /// Values of setup-only parameters; values of others are checked and left to the calls.
    package var values: [String: ParameterInput] = [:]

    package init(format: PluginFormat, width: Int, height: Int, frameRate: Rational, color: PluginColor? = nil) {
        self.format = format
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.color = color ?? .canvas(format)
    }

    /// - Parameter frameRate: of the picture that the sound goes with.
    package init(sound: PluginSound, frameRate: Rational) {
        self.init(format: .pcmFloatPlanar, width: 0, height: 0, frameRate: frameRate, color: .unspecified)
        self.sound = sound
    }
}

/// How sound lies in blocks.
package struct PluginSound: Hashable, Sendable {
    /// Samples per second.
    package var rate: Int
    package var channels: Int
    /// The largest block that is to be made.
    package var maximumSamples: Int

    package init(rate: Int, channels: Int, maximumSamples: Int) {
        (self.rate, self.channels, self.maximumSamples) = (rate, channels, maximumSamples)
    }

    /// WAVEFORMATEXTENSIBLE's speakers, in libav's order of 1, 2 and 6 channels.
    var channelMask: UInt64 {
        switch channels {
        case 1: 0x4
        case 2: 0x3
        case 6: 0x3f
        default: 0
        }
    }
}
