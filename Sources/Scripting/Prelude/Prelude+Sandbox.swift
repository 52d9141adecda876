/// The Lua side of the sandbox and of the API: what is easier said in Lua than in C. Its frames
/// never show in a script's errors. It keeps every function that it needs in a local, because a
/// script may change the globals.
enum Prelude {
    static let text = sandbox + keyframes + api

    /// - Note: a call of `host` is put in parentheses where its result is returned. `return
    ///   host(…)` would be a tail call, and a tail call takes the caller's line from the stack.
    private static let sandbox = #"""
        local host, fail, compile, traced, framed, hidden = ...
        local type, tostring, error, setmetatable, rawget, rawequal, xpcall = type, tostring, error, setmetatable, rawget, rawequal, xpcall
        local pack, unpack, concat, sort = table.pack, table.unpack, table.concat, table.sort
        local tointeger = math.tointeger

        -- Calls body; where it fails, calls undo and raises the same error again.
        local function call_or_undo(undo, body, ...)
          local results = pack(xpcall(body, traced, ...))
          if results[1] then return unpack(results, 2, results.n) end
          undo()
          error(results[2], 0)
        end

        -- What a script does not have is missed by name, not as "attempt to call a nil value".
        local function forbidden(name)
          return function() host("forbidden", name) end
        end
        local function forbidden_library(library)
          local function refuse(_, name) host("forbidden", library .. "." .. tostring(name)) end
          return setmetatable({}, { __index = refuse, __newindex = refuse, __metatable = false })
        end
        for _, library in ipairs { "os", "io", "debug", "package" } do _G[library] = forbidden_library(library) end
        for _, name in ipairs { "dofile", "loadfile", "collectgarbage", "warn" } do _G[name] = forbidden(name) end
        string.dump = forbidden("string.dump")

        function print(...)
          local texts = pack(...)
          for i = 1, texts.n do texts[i] = tostring(texts[i]) end
          host("log", concat(texts, "\t", 1, texts.n))
        end

        -- Lua's own order of keys changes from run to run; the same script must make the same draft.
        local function in_order(t)
          local numbers, texts, others = {}, {}, {}
          for key in hidden.next, t do
            local kind = type(key)
            local list = kind == "number" and numbers or kind == "string" and texts or others
            list[#list + 1] = key
          end
          sort(numbers)
          sort(texts)
          for i = 1, #texts do numbers[#numbers + 1] = texts[i] end
          for i = 1, #others do numbers[#numbers + 1] = others[i] end
          return numbers
        end

        function pairs(t)
          if type(t) ~= "table" then fail("bad argument #1 to 'pairs' (table expected, got " .. type(t) .. ")") end
          local iterate, state, first = hidden.pairs(t)
          if iterate ~= hidden.next then return iterate, state, first end
          local keys, i = in_order(t), 0
          return function()
            while true do
              i = i + 1
              local key = keys[i]
              if key == nil then return nil end
              local value = rawget(t, key)
              if value ~= nil then return key, value end
            end
          end, t, nil
        end

        hidden.randomseed(0)
        function math.randomseed(seed)
          local whole = type(seed) == "number" and tointeger(seed // 1)
          if not whole then fail("math.randomseed needs a number; without a call the seed is 0") end
          hidden.randomseed(whole)
        end

        local cutroom = {}
        local loaded, loading = { cutroom = cutroom }, {}
        function require(name)
          local value = loaded[name]
          if value == loading then fail("‘" .. name .. "’ requires itself") end
          if value ~= nil then return value end
          local module = host("module", name)
          local chunk = compile(module.text, module.name)
          loaded[name] = loading
          value = call_or_undo(function() loaded[name] = nil end, chunk, name)
          if value == nil then value = true end
          loaded[name] = value
          return value
        end

        """#
}
