import Testing

@testable import HostCore

/// The folders that no test may write to; `PluginPathTests` checks with the user's folder that such
/// folders are searched.
@Suite struct UsualPluginFoldersTests {
    @Test(
        arguments: [
            (["XDG_DATA_HOME": "/data", "HOME": "/home/a"], ["/data/cutroom/plugins"]),
            (["HOME": "/home/a"], ["/home/a/.local/share/cutroom/plugins"]), ([:], []),
        ] as [([String: String], [String])]) func `the user's folder comes before the system's`(
            environment: [String: String], own: [String]
        )
    {
        #expect(
            PluginPaths.usual(environment)
                == own + ["/usr/local/lib/cutroom/plugins", "/usr/lib/cutroom/plugins"])
    }
}
