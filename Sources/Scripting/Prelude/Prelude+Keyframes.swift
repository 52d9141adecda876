extension Prelude {
    /// What makes keyframes of numbers: `map`, `smooth`, `follow` and `steady`. A key is `{ time,
    /// value, easing }` with a number or a list of numbers as its value, in order of time.
    static let keyframes = #"""
        local exp, log, sqrt, each_pair = math.exp, math.log, math.sqrt, pairs
        local sin, cos, rad, huge, max, min = math.sin, math.cos, math.rad, math.huge, math.max, math.min

        local function number(value, name, what, low)
          local kind = type(value)
          if kind ~= "number" or value ~= value or value == huge or value < low then
            local given = (kind == "number" or kind == "string") and host("words", value) or kind == "nil" and "nothing"
            fail(name .. " wants " .. what .. ", but was given " .. (given or "a " .. kind))
          end
          return value
        end

        -- The keys with their values as lists, and whether they were plain numbers.
        local function keys_of(keys, name)
          local wanted = name .. " wants a list of keyframes { time, value }, "
          if type(keys) ~= "table" then fail(wanted .. "but was given " .. (keys == nil and "nothing" or "a " .. type(keys))) end
          local list, plain, before = {}, nil, -huge
          for i = 1, #keys do
            local key = keys[i]
            local time, value = nil, nil
            if type(key) == "table" then time, value = key[1], key[2] end
            local single = type(value) == "number"
            if single then value = { value } end
            local fits = type(time) == "number" and time > before and type(value) == "table" and #value > 0
            if plain == nil then plain = single end
            for c = 1, fits and #value or 0 do fits = fits and type(value[c]) == "number" end
            if not fits or plain ~= single or i > 1 and #value ~= #list[1][2] then
              fail(wanted .. "in order of time and with values alike, but number " .. i .. " is not one")
            end
            before = time
            list[i] = { time, value, key[3] }
          end
          return list, plain
        end

        function cutroom.map(keys, change)
          local list = keys_of(keys, "cutroom.map")
          if type(change) ~= "function" then fail("cutroom.map wants keyframes and a function of their values") end
          for i = 1, #list do
            local value = change(unpack(list[i][2], 1, #list[i][2]))
            if value == nil then fail("cutroom.map: the function gives nothing for key " .. i) end
            list[i][2] = value
          end
          return list
        end

        -- At each key the value there of the straight line that fits the keys around it best, which count by a Gaussian of
        -- their distance in time (local linear regression: Cleveland 1979; Fan and Gijbels 1996). Where keys are evenly spaced
        -- that is a Gaussian filter, but the ends do not lag.
        local function smooth(list, seconds)
          if seconds == 0 then return list end
          local result, first, last, width = {}, 1, 1, #list > 0 and #list[1][2] or 0
          -- Four channels at a time, each in a list of its own: an hour of camera motion has millions of pairs of keys.
          local times, none, groups = {}, {}, {}
          for i = 1, #list do times[i], none[i], result[i] = list[i][1], 0, { list[i][1], {}, list[i][3] } end
          for c = 1, width, 4 do
            local group = { none, none, none, none }
            for k = 0, min(3, width - c) do
              local channel = {}
              for i = 1, #list do channel[i] = list[i][2][c + k] end
              group[k + 1] = channel
            end
            groups[#groups + 1] = group
          end
          for i = 1, #list do
            local now = times[i]
            while times[first] < now - 3 * seconds do first = first + 1 end
            while last < #list and times[last + 1] <= now + 3 * seconds do last = last + 1 end
            for g = 1, #groups do
              local a, b, c, d = unpack(groups[g], 1, 4)
              local s0, s1, s2, a0, b0, c0, d0, a1, b1, c1, d1 = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
              for j = first, last do
                local u = (times[j] - now) / seconds
                local weight = exp(-u * u / 2)
                local slope = weight * u
                s0, s1, s2 = s0 + weight, s1 + slope, s2 + slope * u
                local w, x, y, z = a[j], b[j], c[j], d[j]
                a0, b0, c0, d0 = a0 + weight * w, b0 + weight * x, c0 + weight * y, d0 + weight * z
                a1, b1, c1, d1 = a1 + slope * w, b1 + slope * x, c1 + slope * y, d1 + slope * z
              end
              local determinant, value, at = s0 * s2 - s1 * s1, result[i][2], 4 * g - 4
              local t0, t1 = { a0, b0, c0, d0 }, { a1, b1, c1, d1 }
              for k = 1, min(4, width - at) do
                -- One key alone has no slope.
                value[at + k] = determinant > 1e-9 * s0 * s0 and (s2 * t0[k] - s1 * t1[k]) / determinant or t0[k] / s0
              end
            end
          end
          return result
        end

        function cutroom.smooth(keys, seconds)
          local list, plain = keys_of(keys, "cutroom.smooth")
          list = smooth(list, number(seconds, "cutroom.smooth", "seconds, 0 or more", 0))
          for i = 1, plain and #list or 0 do list[i][2] = list[i][2][1] end
          return list
        end

        -- The frames of a track, with the times that a clip of the same range has.
        local function frames_of(track, name)
          local frames = type(track) == "table" and track.frames
          if type(frames) ~= "table" or type(track.start) ~= "number" then
            fail(name .. " wants what cutroom.analyse gives, but was given " .. (track == nil and "nothing" or "a " .. type(track)))
          end
          return frames
        end
        local function options_of(options, known, name)
          if options ~= nil and type(options) ~= "table" then fail(name .. " wants a table of options") end
          for key in each_pair(options or {}) do
            if not known[key] then fail(name .. " has no option ‘" .. tostring(key) .. "’") end
          end
          return options or {}
        end

        local function numbers_of(frame, key, name)
          local list = frame[key]
          if type(list) ~= "table" then fail(name .. ": a frame of the track has no list ‘" .. tostring(key) .. "’") end
          return list
        end

        function cutroom.follow(track, names, options)
          local name = "cutroom.follow"
          local frames, known = frames_of(track, name), options_of(options, { lost = true, at = true }, name)
          if type(names) ~= "table" then names = { names } end
          local patience, at = number(known.lost or 1, name, "seconds for ‘lost’", 0), known.at
          if at ~= nil and not (type(at) == "table" and type(at[1]) == "number" and type(at[2]) == "number") then
            fail(name .. " wants { x, y } for ‘at’, each 0 … 1")
          end
          local keys, last, seen = {}, nil, -huge
          for i = 1, #frames do
            local frame = frames[i]
            local rects, best, least = numbers_of(frame, names[1], name), nil, huge
            if frame.time - seen > patience then last = nil end
            for n = 1, #rects // 4 do
              local x, y, w, h = rects[4 * n - 3], rects[4 * n - 2], rects[4 * n - 1], rects[4 * n]
              local distance = n
              if last then
                -- In sizes of what is followed: a face does not jump by more than its own, nor become half or twice as large.
                local across, down = x + w / 2 - last[1] - last[3] / 2, y + h / 2 - last[2] - last[4] / 2
                distance = sqrt((across / last[3]) ^ 2 + (down / last[4]) ^ 2)
                if distance > 1 or w > 2 * last[3] or 2 * w < last[3] then distance = huge end
              elseif at then
                distance = sqrt((x + w / 2 - at[1]) ^ 2 + (y + h / 2 - at[2]) ^ 2)
              end
              if distance < least then best, least = n, distance end
            end
            if best then
              local value = {}
              for c = 1, 4 do value[c] = rects[4 * (best - 1) + c] end
              last, seen = value, frame.time
              -- Lists beside the rectangles have as many numbers for each.
              for n = 2, #names do
                local list = numbers_of(frame, names[n], name)
                local each = #list // (#rects // 4)
                for c = 1, each do value[#value + 1] = list[each * (best - 1) + c] end
              end
              keys[#keys + 1] = { frame.time - track.start, value }
            end
          end
          return #keys > 0 and keys or nil
        end

        -- Sums the motions up to a path, and gives what takes the path to the smooth one; about the centre of each frame, so
        -- that turns far from the first frame do not become moves.
        function cutroom.steady(track, options)
          local name = "cutroom.steady"
          local frames, known = frames_of(track, name), options_of(options, { seconds = true, zoom = true }, name)
          local seconds = number(known.seconds or 0.5, name, "seconds, 0 or more", 0)
          local path, sum = {}, { 0, 0, 0, 0 }
          for i = 1, #frames do
            local motion = numbers_of(frames[i], "motion", name)
            if #motion < 4 or not (motion[4] > 0) then
              fail(name .. ": ‘motion’ of frame " .. i .. " of the track is not { dx, dy, angle, scale } with a scale above 0")
            end
            sum = { sum[1] + motion[1], sum[2] + motion[2], sum[3] + motion[3], sum[4] + log(motion[4]) }
            path[i] = { frames[i].time - track.start, sum }
          end
          local smoothed, result = smooth(path, seconds), { dx = {}, dy = {}, angle = {}, zoom = {} }
          local width, height, needed = track.width, track.height, 1
          for i = 1, #path do
            local time, from, to = path[i][1], path[i][2], smoothed[i][2]
            local dx, dy, angle, scale = to[1] - from[1], to[2] - from[2], to[3] - from[3], exp(to[4] - from[4])
            result.dx[i], result.dy[i], result.angle[i], result.zoom[i] = { time, dx }, { time, dy }, { time, angle }, { time, scale }
            -- How much larger the picture must be for its corners to reach those of the frame.
            local c, s = cos(rad(angle)), sin(rad(angle))
            for corner = 0, 3 do
              local x = (corner % 2 - 0.5 - dx) * width
              local y = (corner // 2 - 0.5 - dy) * height
              needed = max(needed, 2 * max((c * x + s * y) / width, -(c * x + s * y) / width, (c * y - s * x) / height,
                -(c * y - s * x) / height) / scale)
            end
          end
          local zoom = known.zoom and number(known.zoom, name, "1 or more for ‘zoom’", 1) or min(needed, 1.25)
          for i = 1, #path do result.zoom[i][2] = zoom * result.zoom[i][2] end
          return result
        end

        """#
}
