import Draft
import TestSupport
import Testing

@testable import Scripting

/// Look-ups by key and by id find what a scan finds, whatever happens to a list.
@Suite struct ItemListTests {
    private static func item(_ key: Int, _ id: String?) -> Item {
        var clip = Clip(path: "a.mp4")
        clip.id = id
        return Item(key: key, element: .clip(clip), cost: 0)
    }

    @Test func `entries are found after any changes`() {
        let cases = Seed.cases(60)
        let seed = Seed.announced(for: "ItemList", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            var next = 0
            func make() -> Item {
                next += 1
                let isNamed = random.chance(1, in: 2)
                return Self.item(next, isNamed ? "i\(Int.random(in: 0..<20, using: &random))" : nil)
            }
            let first = (0..<Int.random(in: 0...5, using: &random)).map { _ in make() }
            var (list, plain) = (ItemList(first), first)
            for _ in 0..<80 {
                let place = Int.random(in: 0...plain.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    let item = make()
                    list.insert(item, at: plain.count)
                    plain.append(item)
                case 2:
                    let item = make()
                    list.insert(item, at: place)
                    plain.insert(item, at: place)
                case 3 where place < plain.count:
                    #expect(list.remove(at: place).key == plain.remove(at: place).key)
                case 4 where place < plain.count:
                    let item = Self.item(plain[place].key, make().id)
                    (list[place], plain[place]) = (item, item)
                case 5 where place < plain.count:
                    // Moved, as a script does it.
                    let item = list.remove(at: place)
                    plain.remove(at: place)
                    let to = Int.random(in: 0...plain.count, using: &random)
                    list.insert(item, at: to)
                    plain.insert(item, at: to)
                default: break
                }
                #expect(list.map(\.key) == plain.map(\.key))
                for key in 0...next { #expect(list.place(ofKey: key) == plain.firstIndex { $0.key == key }) }
                for id in (0..<20).map({ "i\($0)" }) {
                    #expect(list.place(ofID: id) == plain.firstIndex { $0.id == id }, "seed \(seed), case \(index)")
                    let other = Int.random(in: 0...next, using: &random)
                    let expected = plain.firstIndex { $0.id == id && $0.key != other }
                    #expect(list.place(ofID: id, except: other) == expected)
                }
            }
        }
    }
}
