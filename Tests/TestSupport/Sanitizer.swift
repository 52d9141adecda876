import Glibc
import Testing

/// The sanitizer that the tests, and the programs beside them, were built with.
public enum Sanitizer {
    public static let isAddress = dlsym(nil, "__asan_init") != nil
    public static let isThread = dlsym(nil, "__tsan_init") != nil
    public static let isActive = isAddress || isThread

    /// For tests that measure memory.
    public static let countsItself: Comment = "a sanitizer's own memory would be counted"
}
