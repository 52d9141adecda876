extension Prelude {
    /// Objects are empty tables; `key_of` knows what they stand for, where no script can reach it.
    /// Every operation and every property is answered by the host.
    static let api = #"""
        local key_of = setmetatable({}, { __mode = "k" })

        local function new(meta, key)
          local object = setmetatable({}, meta)
          key_of[object] = key
          return object
        end

        -- An object given as an argument travels as its key.
        local function plain(value)
          local key = value ~= nil and key_of[value]
          if type(key) == "table" and key.key then return { key = key.key, list = key.list, draft = key.draft } end
          if type(key) == "number" then return { draft = key } end
          return value
        end

        -- What is read of a property is a copy. A change to it would be lost, so it is refused. To the host it is what it
        -- was made of (__content), and so it is to `next`.
        local ordered, next, content_of = pairs, next, setmetatable({}, { __mode = "k" })
        local function copy(value, object, property)
          if type(value) ~= "table" then return value end
          for key, part in hidden.next, value do value[key] = copy(part, object, property) end
          local shown = setmetatable({}, {
            __metatable = false,
            __content = value,
            __index = value,
            __len = function() return #value end,
            __pairs = function() return ordered(value) end,
            __newindex = function() host("assign_copy", object .. "." .. property) end,
          })
          content_of[shown] = value
          return shown
        end
        function _G.next(t, key)
          return next(t ~= nil and content_of[t] or t, key)
        end

        -- Clips, audio clips and effects ------------------------------------------------------------------------------

        -- A copy of an entry, with some properties changed, in its own draft or another one.
        local item
        local duplicate = framed(function(self, changes, other)
          local key = self ~= nil and key_of[self]
          if type(key) ~= "table" or not key.key then fail("‘copy’ is called with a colon: clip:copy { speed = 2 }") end
          if other == nil and changes ~= nil and type(key_of[changes]) == "number" then changes, other = nil, changes end
          local draft = key.draft
          if other ~= nil then
            draft = key_of[other]
            if type(draft) ~= "number" then fail("‘copy’ wants what changes, and perhaps another draft: clip:copy({ speed = 2 }, other)") end
          end
          return item(draft, key.list, host("copy", key.draft, key.list, key.key, changes, draft))
        end)

        local function item_meta(name, list)
          return {
            __name = name,
            __metatable = false,
            __index = function(self, property)
              if property == "copy" then return duplicate end
              local key = key_of[self]
              return copy(host("get", key.draft, list, key.key, property), name, property)
            end,
            __newindex = function(self, property, value)
              local key = key_of[self]
              host("set", key.draft, list, key.key, property, value)
            end,
            __eq = function(a, b)
              a, b = key_of[a], key_of[b]
              return a.draft == b.draft and a.key == b.key
            end,
            __tostring = function(self)
              local key = key_of[self]
              return (host("name", key.draft, list, key.key))
            end,
          }
        end
        local item_metas = {
          clips = item_meta("clip", "clips"),
          audio = item_meta("audio clip", "audio"),
          effects = item_meta("effect", "effects"),
        }
        function item(draft, list, key)
          return key and new(item_metas[list], { draft = draft, list = list, key = key })
        end

        -- The lists of a draft ----------------------------------------------------------------------------------------

        local list_meta = {
          __name = "list of a draft",
          __metatable = false,
          __index = function(self, index)
            local key = key_of[self]
            return item(key.draft, key.list, host("find", key.draft, key.list, index))
          end,
          __newindex = function(self)
            host("assign_list", key_of[self].list)
          end,
          __len = function(self)
            local key = key_of[self]
            return (host("count", key.draft, key.list))
          end,
          __pairs = function(self)
            local i = 0
            return function()
              i = i + 1
              local value = self[i]
              if value then return i, value end
            end, self, nil
          end,
        }

        -- Drafts ------------------------------------------------------------------------------------------------------

        local methods, lists = {}, { clips = true, audio = true, effects = true }

        local function draft_key(self, method)
          local key = self ~= nil and key_of[self]
          if type(key) ~= "number" then fail("‘" .. method .. "’ is called with a colon: draft:" .. method .. "(…)") end
          return key
        end

        local function method(name, list)
          methods[name] = framed(function(self, a, b)
            local draft = draft_key(self, name)
            local reply = host(name, draft, plain(a), plain(b))
            if list then return item(draft, list, reply) end
            return reply
          end)
        end
        method("add_clip", "clips")
        method("add_image", "clips")
        method("add_source", "clips")
        method("add_audio", "audio")
        method("add_effect", "effects")
        method("add_title", "effects")
        method("add_layer", "effects")
        method("add_subtitles", "effects")
        method("clip", "clips")
        method("audio_clip", "audio")
        method("effect", "effects")
        for _, name in ipairs {
          "remove_clip", "move_clip", "remove_audio", "move_audio", "remove_effect", "move_effect",
          "apply_effects", "remove_effects", "begin", "commit", "cancel",
        } do method(name) end

        -- What keeps the draft from rendering, then what is hardly meant.
        function methods.validate(self)
          local found = host("validate", draft_key(self, "validate"))
          return found[1], found[2]
        end

        function methods.transaction(self, body)
          local key = draft_key(self, "transaction")
          if type(body) ~= "function" then fail("‘transaction’ wants a function with the changes") end
          local depth = host("begin", key)
          local results = pack(call_or_undo(function() host("unwind", key, depth) end, body, self))
          host("finish", key, depth)
          return unpack(results, 1, results.n)
        end

        local draft_meta = {
          __name = "draft",
          __metatable = false,
          __index = function(self, name)
            if methods[name] then return methods[name] end
            if lists[name] then return new(list_meta, { draft = key_of[self], list = name }) end
            return copy(host("draft_get", key_of[self], name), "draft", name)
          end,
          __newindex = function(self, name, value)
            host("draft_set", key_of[self], name, value)
          end,
          __tostring = function() return "draft" end,
        }

        -- The module --------------------------------------------------------------------------------------------------

        -- An entry of a list of media, in which a draft travels as its key: `{ other, range = { 0, 3 } }` is `{ draft = other, range = … }`.
        local function plain_item(item)
          if type(item) ~= "table" or key_of[item] ~= nil then return plain(item) end
          local result = {}
          for key, part in next, content_of[item] or item do result[key] = plain(part) end
          if type(key_of[item[1]]) == "number" and item[2] == nil then
            result[1], result.draft = nil, result[1]
          end
          return result
        end

        local function plain_list(list)
          if type(list) ~= "table" or key_of[list] ~= nil then return plain(list) end
          if list[1] == nil then return list end
          local result = {}
          for key, item in next, content_of[list] or list do result[key] = plain_item(item) end
          return result
        end

        function cutroom.draft(source, options)
          return new(draft_meta, host("draft", plain_list(source), options))
        end
        function cutroom.open(path)
          return new(draft_meta, host("open", path))
        end
        function cutroom.probe(path)
          return (host("probe", path))
        end
        function cutroom.analyse(path, id, options)
          return (host("analyse", path, id, options))
        end
        function cutroom.params(declarations)
          local values = host("params", declarations)
          return setmetatable(values, { __index = function(_, name) host("no_parameter", name) end })
        end
        for name, body in hidden.next, cutroom do
          cutroom[name] = framed(function(first, ...)
            if rawequal(first, cutroom) then fail("‘" .. name .. "’ is called with a point: cutroom." .. name .. "(…)") end
            return body(first, ...)
          end)
        end
        setmetatable(cutroom, { __index = function(_, name) host("no_member", name) end })

        -- A function of time may give a colour as a text; the host wants numbers, four of each.
        local function color_of(value)
          if type(value) == "table" and #value == 3 then return { value[1], value[2], value[3], 1 } end
          return type(value) == "string" and host("color", value) or value
        end

        return function(chunk)
          local result = chunk()
          local key = result ~= nil and key_of[result]
          if type(key) ~= "number" then return { found = type(result) } end
          local functions = host("color_functions", key)
          for i = 1, #functions do
            local color = functions[i]
            functions[i] = function(t) return color_of(color(t)) end
          end
          return { draft = key, colors = functions }
        end
        """#
}
