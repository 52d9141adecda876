import Draft
import Values

/// Adding, finding, moving and removing.
extension Session {
    func addClip(_ call: LuaCall, _ draft: Int, isImage: Bool) throws -> Value {
        let (options, index) = try position(call, draft, .clips, options: 2)
        let name = Self.name(.clips, index, id: options.fields["id"]?.text)
        if !isImage, let nested = try nested(call.argument(1), in: draft, name, call) {
            let clip = try readNested(nested, options, name, call.origin)
            return try insert(.clip(clip), options, .clips, index, name, draft, call)
        }
        let path = try call.text(1, isImage ? "the path of a file" : "the path of a file, or a draft")
        let clip = try readClip(path, isImage: isImage, options, name, call.origin)
        return try insert(.clip(clip), options, .clips, index, name, draft, call)
    }

    func addSource(_ call: LuaCall, _ draft: Int) throws -> Value {
        let id = try call.text(1, "the id of a plugin's source")
        let (options, index) = try position(call, draft, .clips, options: 2)
        let name = Self.name(.clips, index, id: options.fields["id"]?.text)
        let clip = try readGenerated(id, options, name, call.origin)
        return try insert(.clip(clip), options, .clips, index, name, draft, call)
    }

    func addAudio(_ call: LuaCall, _ draft: Int) throws -> Value {
        let path = try call.text(1, "the path of a file")
        let (options, index) = try position(call, draft, .audio, options: 2)
        let name = Self.name(.audio, index, id: options.fields["id"]?.text)
        let clip = try readAudio(path, options, name, call.origin)
        return try insert(.audio(clip), options, .audio, index, name, draft, call)
    }

    func addEffect(_ call: LuaCall, _ draft: Int) throws -> Value {
        try addEntry(call, draft, "an effect's name") { (try readEffect($0, $1, $2, call.origin), $1) }
    }

    func addLayer(_ call: LuaCall, _ draft: Int) throws -> Value {
        if Self.draftNumber(call.argument(1)) != nil {
            let (options, index) = try position(call, draft, .effects, options: 2)
            let name = "effect \(index + 1)"
            let nested = try nested(call.argument(1), in: draft, "\(name) (layer)", call)
            let effect = try readLayer(nil, showing: nested, options, name, call.origin)
            return try insert(.effect(effect), options, .effects, index, effect.name(index), draft, call)
        }
        guard call.argument(1).isTable else {
            return try addEntry(
                call, draft, "the path of a video or an image, a draft, or a table with its ‘color’ or ‘source’"
            ) {
                (try readLayer($0, $1, $2, call.origin), $1)
            }
        }
        let (options, index) = try position(call, draft, .effects, options: 1)
        let effect = try readLayer(nil, options, "effect \(index + 1)", call.origin)
        return try insert(.effect(effect), options, .effects, index, effect.name(index), draft, call)
    }

    func addTitle(_ call: LuaCall, _ draft: Int) throws -> Value {
        try addEntry(call, draft, "the title's text") { text, options, object in
            let options = try options.adding("text", text, call)
            return (try readEffect("title", options, object, call.origin), options)
        }
    }

    func addSubtitles(_ call: LuaCall, _ draft: Int) throws -> Value {
        try addEntry(call, draft, "the path of a subtitle file") { path, options, object in
            let options = try options.adding("file", path, call)
            return (try readEffect("subtitles", options, object, call.origin), options)
        }
    }

    /// Adds an entry to the effect list.
    /// - Parameters:
    ///   - what: the call's first argument, a text, for messages.
    ///   - read: makes the entry of that text, the options and the entry's name in messages; it
    ///     returns all options that the entry has.
    private func addEntry(
        _ call: LuaCall, _ draft: Int, _ what: String, _ read: (String, Value, String) throws -> (Effect, Value)
    ) throws -> Value {
        let text = try call.text(1, what)
        let (given, index) = try position(call, draft, .effects, options: 2)
        let (effect, options) = try read(text, given, "effect \(index + 1)")
        return try insert(.effect(effect), options, .effects, index, effect.name(index), draft, call)
    }

    /// The options without `index`, and the index (from 0) that it means. Where there is none: the
    /// end, before a pass-through effect.
    func position(_ call: LuaCall, _ draft: Int, _ list: ListName, options: Int) throws -> (
        Value, Int
    ) {
        let count = drafts[draft].contents[list].count
        guard case .object(var fields) = call.argument(options), let wished = fields.removeValue(forKey: "index") else {
            return (call.argument(options), count - (drafts[draft].contents[list].last?.isPassThrough == true ? 1 : 0))
        }
        guard case .number(let number) = wished, let index = Int(exactly: number), (1...count + 1).contains(index)
        else {
            throw call.error("‘index’ is \(wished.forPeople), but must be a whole number from 1 to \(count + 1)")
        }
        return (.object(fields), index - 1)
    }

    private func insert(
        _ element: Item.Element, _ options: Value, _ list: ListName, _ index: Int, _ name: String, _ draft: Int,
        _ call: LuaCall
    ) throws -> Value {
        try insert(element, cost: options.cost, list, index, name, draft, call)
    }

    /// - Parameter cost: see ``Item/cost``.
    func insert(
        _ element: Item.Element, cost: Int, _ list: ListName, _ index: Int, _ name: String,
        _ draft: Int,
        _ call: LuaCall
    ) throws -> Value {
        try refuseProblems(element, name, call)
        let item = Item(key: newKey(), element: element, cost: cost)
        try refuseTakenID(item, list, draft, call)
        guard drafts[draft].contents[list].count < limits.items else {
            throw ScriptError(.limit, "a draft holds at most \(limits.items) \(list.rawValue)", at: call.origin)
        }
        try spend(item.cost, call)
        drafts[draft].change { $0[list].insert(item, at: index) }
        return .number(item.key)
    }

    /// What is kept outside Lua's memory counts too. Never given back, so that a loop of changes
    /// ends as well.
    func spend(_ cost: Int, _ call: LuaCall) throws {
        spent += cost
        guard spent <= limits.memory else {
            throw ScriptError(.limit, "the script's drafts need more memory than they may use", at: call.origin)
        }
    }

    func refuseTakenID(_ item: Item, _ list: ListName, _ draft: Int, _ call: LuaCall) throws {
        guard let id = item.id else { return }
        if let taken = drafts[draft].contents[list].place(ofID: id, except: item.key) {
            throw call.error("the id ‘\(id)’ is taken by \(list.singular) \(taken + 1)")
        }
    }

    // MARK: Finding

    func list(_ call: LuaCall) throws -> ListName {
        guard let list = call.argument(1).text.flatMap(ListName.init) else {
            throw call.error("there is no list ‘\(call.name(1))’")
        }
        return list
    }

    /// `draft.clips[2]` or `draft.clips.opening`: the key, or nothing where there is no such entry.
    func find(_ call: LuaCall, _ draft: Int) throws -> Value {
        let list = try list(call)
        let items = drafts[draft].contents[list]
        switch call.argument(2) {
        case .number(let number):
            if let index = Int(exactly: number), index >= 1, index <= items.count {
                return .number(items[index - 1].key)
            }
        case .string(let id): if let place = items.place(ofID: id) { return .number(items[place].key) }
        default: return .null
        }
        // An error on the same line names the value as this. Most scripts ask for what may not be
        // there, so that words are made only then.
        lua?.missed = MissedEntry(list: list, origin: call.origin) { [unowned self] in
            missing(call.argument(2), drafts[draft].contents[list])
        }
        return .null
    }

    private func missing(_ key: Value, _ items: ItemList) -> String {
        if case .string(let id) = key {
            return "entry with the id ‘\(id)’\(suggestion(for: id, in: items.compactMap(\.id)))"
        }
        return "entry \(key.forPeople); \(items.isEmpty ? "it is empty" : "it has \(items.count), counted from 1")"
    }

    /// `draft:clip("opening")`: the key, or an error where there is no such entry.
    func require(_ call: LuaCall, _ draft: Int) throws -> Value {
        let list: ListName = call.operation == "clip" ? .clips : call.operation == "effect" ? .effects : .audio
        return .number(drafts[draft].contents[list][try index(call, 1, list, draft)].key)
    }

    /// The index (from 0) of an entry that a script names by number, by id or by itself.
    private func index(_ call: LuaCall, _ argument: Int, _ list: ListName, _ draft: Int) throws -> Int {
        let items = drafts[draft].contents[list]
        switch call.argument(argument) {
        case .number(let number):
            if let index = Int(exactly: number), index >= 1, index <= items.count { return index - 1 }
            throw call.error(
                "there is no \(list.singular) \(Value.number(number).forPeople); the draft has \(items.count)")
        case .string(let id):
            if let index = items.place(ofID: id) { return index }
            throw call.error(
                "there is no \(list.singular) with the id ‘\(id)’\(suggestion(for: id, in: items.compactMap(\.id)))")
        case .object(let fields):
            let isOwn = fields["list"]?.text == list.rawValue && fields["draft"] == .number(draft)
            if isOwn, let key = Self.key(fields["key"]), let index = items.place(ofKey: key) { return index }
            throw call.error("this \(list.singular) is not in the draft")
        default:
            throw call.error(
                "\(call.operation) wants \(list.singular)'s number or id, but was given \(call.argument(argument).forPeople)"
            )
        }
    }

    /// The entry that a property's call is about.
    func item(_ call: LuaCall, _ draft: Int) throws -> Item {
        let list = try list(call)
        let items = drafts[draft].contents[list]
        guard let key = Self.key(call.argument(2)), let place = items.place(ofKey: key) else {
            throw call.error("this \(list.singular) is no longer in the draft")
        }
        return items[place]
    }

    private static func key(_ value: Value?) -> Int? {
        guard case .number(let number)? = value else { return nil }
        return Int(exactly: number)
    }

    // MARK: Removing and moving

    func remove(_ call: LuaCall, _ draft: Int) throws -> Value {
        let list = Self.list(ofEdit: call.operation)
        let index = try index(call, 1, list, draft)
        drafts[draft].change { _ = $0[list].remove(at: index) }
        return .null
    }

    /// `move_clip(i, j)`: the entry at i is at j afterwards.
    func move(_ call: LuaCall, _ draft: Int) throws -> Value {
        let list = Self.list(ofEdit: call.operation)
        let from = try index(call, 1, list, draft)
        let to = try index(call, 2, list, draft)
        drafts[draft].change { contents in
            let item = contents[list].remove(at: from)
            contents[list].insert(item, at: to)
        }
        return .null
    }

    private static func list(ofEdit operation: String) -> ListName {
        operation.hasSuffix("_clip") ? .clips : operation.hasSuffix("_audio") ? .audio : .effects
    }
}

extension Value {
    /// A table of options with one that the call gives as its first argument.
    fileprivate func adding(_ key: String, _ text: String, _ call: LuaCall) throws -> Value {
        guard isTable || self == .null else {
            throw call.error("\(call.operation) wants a table of options, but was given \(forPeople)")
        }
        guard fields[key] == nil else {
            throw call.error("\(call.operation) takes the \(key) as its first argument, not as an option")
        }
        return .object(fields.merging([key: .string(text)]) { $1 })
    }

    /// Bytes that the tree is reckoned to take.
    var cost: Int {
        switch self {
        case .string(let text): 64 + text.utf8.count
        case .array(let items): items.reduce(64) { $0 + $1.cost }
        case .object(let fields): fields.reduce(128) { $0 + $1.key.utf8.count + $1.value.cost }
        default: 64
        }
    }
}
