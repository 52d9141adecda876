import Values

/// The pictures that files of every kind can hold, and therefore the bounds of a canvas.
public enum PictureBounds {
    /// Pixels of a side.
    public static let sides = 16...8192
    /// Frames per second.
    public static let frameRates = Rational(1)...Rational(240)
}
