/// What decides the bytes of a render besides its plan.
public enum Engine {
    /// Grows with every change that may alter a frame or a sample; part of every cache key.
    public static let version = "0.15.0"
}
