import Composition
import Media
import TestSupport
import Testing

@testable import Workers

@Suite struct WindowCacheTests {
    private static func lumas(_ window: [Picture?]?) -> [Int?]? { window?.map { $0.map { Int($0.luma[0]) } } }

    @Test func `a window at the edges of its input has nil outside`() throws {
        let node = FlatNode()
        let reach = FrameReach(before: 2, after: 3)
        let cache = WindowCache(Switch(node, in: 10..<15), reach: reach, past: .goesOn)
        #expect(try Self.lumas(cache.window(around: 10, reach)) == [nil, nil, 10, 11, 12, 13])
        #expect(try Self.lumas(cache.window(around: 11, reach)) == [nil, 10, 11, 12, 13, 14])
        #expect(try Self.lumas(cache.window(around: 14, reach)) == [12, 13, 14, nil, nil, nil])
        #expect(try cache.window(around: 15, reach) == nil && cache.window(around: 9, reach) == nil)
    }

    @Test func `each picture is made once, in order, and let go when it has passed`() throws {
        let node = FlatNode()
        let reach = FrameReach(before: 1, after: 2)
        let cache = WindowCache(Switch(node, in: 0..<30), reach: reach, past: .goesOn)
        var last: [Picture?] = []
        for frame in 0..<30 {
            let window = try #require(try cache.window(around: frame, reach))
            // What both windows see is the same object.
            for (old, new) in zip(last.dropFirst(), window) { #expect(old === new) }
            last = window
        }
        #expect(node.asked == Array(0..<30))
        cache.close()
        _ = try cache.window(around: 29, reach)
        #expect(node.asked.dropFirst(30).elementsEqual([28, 29]))
    }

    @Test func `behind a gap lies what comes later, and before one what was seen`() throws {
        let reach = FrameReach(before: 3, after: 3)
        func window(_ past: WindowCache.Past, _ frame: Int) throws -> ([Int?]?, asked: [Int]) {
            let node = FlatNode()
            let cache = WindowCache(Switch(node, in: 0..<4, 5..<8), reach: reach, past: past)
            return (try Self.lumas(cache.window(around: frame, reach)), node.asked)
        }
        let goingOn = try window(.goesOn, 5)
        #expect(goingOn.0 == [2, 3, nil, 5, 6, 7, nil] && goingOn.asked == [2, 3, 5, 6, 7])
        let ending = try window(.ends, 5)
        #expect(ending.0 == [nil, nil, nil, 5, 6, 7, nil] && ending.asked == [5, 6, 7])
        for past in [WindowCache.Past.goesOn, .ends] {
            #expect(try window(past, 2).0 == [nil, 0, 1, 2, 3, nil, nil])
        }
    }

    /// A clip that is shown alone before and after a transition that looks two frames back and one
    /// ahead.
    @Test(arguments: [0, 18, 19, 20, 22]) func `single frames are kept where windows will see them`(start: Int) throws {
        let node = FlatNode(isOwned: true)
        let reach = FrameReach(before: 2, after: 1)
        let cache = WindowCache(Switch(node, in: 0..<40), reach: reach, past: .ends, watched: [18..<26])
        for frame in start..<40 {
            if (20..<25).contains(frame) {
                #expect(try Self.lumas(cache.window(around: frame, reach)) == (frame - 2...frame + 1).map { $0 })
            } else {
                let surface = try #require(try cache.frame(frame))
                #expect(surface.picture.luma[0] == UInt8(frame))
                // A frame that is not needed again is passed on without a copy.
                #expect(surface.isWritable == !(18..<26).contains(frame))
            }
        }
        // In order, each once, from the first that a window looks at.
        let first = start < 18 ? start : max(18, start - 2)
        #expect(node.asked == Array(first..<40))
        #expect(node.isIntact)
    }

    @Test func `after a jump back the window is made again`() throws {
        let node = FlatNode()
        let reach = FrameReach(before: 1, after: 1)
        let cache = WindowCache(Switch(node, in: 0..<20), reach: reach, past: .goesOn)
        for frame in [10, 3, 4, 10, 11] {
            #expect(try Self.lumas(cache.window(around: frame, reach)) == [frame - 1, frame, frame + 1])
        }
        // 9, 10 and 11 were still there.
        #expect(node.asked == [9, 10, 11, 2, 3, 4, 5, 12])
    }
}
