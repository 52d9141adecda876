import Testing

@testable import Scripting

/// The counted matcher behaves as the manual says (section 6.4.1), in Lua's own words.
@Suite struct PatternTests {
    @Test(arguments: [
        "('hello world'):find('wor') == 7", "select(2, ('hello'):find('l+')) == 4", "('hello'):find('xyz') == nil",
        "('hello'):find('') == 1", "('hello'):find('', 10) == nil", "('hello'):find('', 6) == 6",
        "('hello'):find('l', -2) == 4",
        "('a.b'):find('.', 2, true) == 2", "('a+b'):find('+', 1, true) == 2", "('a\\0b'):find('\\0') == 2",
        "('a\\0b'):find('%z') == nil",
        "('key = value'):match('^(%w+)%s*=%s*(%w+)$') == 'key'",
        "select(2, ('key = value'):match('^(%w+)%s*=%s*(%w+)$')) == 'value'",
        "('  trim  '):match('^%s*(.-)%s*$') == 'trim'", "('2026-11-21'):match('(%d+)-(%d+)-(%d+)') == '2026'",
        "('[[x]]'):match('%[(%b[])%]') == '[x]'", "('f(a(b)c)d'):match('%b()') == '(a(b)c)'",
        "('THE (quick) fox'):find('%((%a+)%)') == 5",
        "('THE (quick) fox'):gsub('%f[%a]%a+', 'x') == 'x (x) x'", "('abc'):match('()b()') == 2",
        "select(3, ('heel'):match('(h)(.)(%2)')) == 'e'",
        "('\"it\\'s\"'):match('([\"\\'])(.-)%1') == '\"'",
        "select(2, ('\"it\\'s\"'):match('([\"\\'])(.-)%1')) == \"it's\"",
        "('aaa'):match('a-') == ''", "('aaab'):match('a-b') == 'aaab'", "('aaa'):match('a?a?a?a?') == 'aaa'",
        "('x]y'):match('[]]') == ']'",
        "('x^y'):match('[%^]') == '^'", "('a-z'):match('[a%-]+') == 'a-'", "('a-c'):match('[a-]+') == 'a-'",
        "('abc'):match('[^b]+') == 'a'",
        "('q'):match('[a-c]') == nil", "('Ab1 _'):match('%w+') == 'Ab1'", "('Ab1'):match('%L+') == 'A'",
        "('a,b'):match('%P+') == 'a'",
        "('hello world'):gsub('o', '0') == 'hell0 w0rld'", "select(2, ('hello world'):gsub('o', '0')) == 2",
        "('hello'):gsub('', '-') == '-h-e-l-l-o-'",
        "('abc'):gsub('%w', '%0%0') == 'aabbcc'", "('hello world'):gsub('(%w+) (%w+)', '%2 %1') == 'world hello'",
        "('abc'):gsub('b', '%%') == 'a%c'",
        "('abc'):gsub('%w', { a = '1', b = true and 'B' }) == '1Bc'",
        "('abc'):gsub('%w', function(c) return c == 'b' and 'X' or nil end) == 'aXc'",
        "('abc'):gsub('%w', '.', 2) == '..c'", "('abc'):gsub('^a', 'x') == 'xbc'", "('aab'):gsub('^a', 'x') == 'xab'",
        "('abc'):gsub('$', '!') == 'abc!'",
        "('a b  c'):gsub('%s+', ' ') == 'a b c'", "('x'):rep(3, ',') == 'x,x,x'",
        "('abc'):gsub('()', '%1') == '1a2b3c4'",
        "(function() local t = {} for w in ('one two  three'):gmatch('%a+') do t[#t + 1] = w end return table.concat(t, '|') end)() == 'one|two|three'",
        "(function() local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[#t + 1] = k .. v end return table.concat(t) end)() == 'a1b2'",
        "(function() local n = 0 for _ in ('abc'):gmatch('') do n = n + 1 end return n end)() == 4",
        "(function() local t = {} for p in ('abc'):gmatch('()') do t[#t + 1] = p end return table.concat(t) end)() == '1234'",
        "(function() for w in ('one two'):gmatch('%a+', 4) do return w end end)() == 'two'",
        "(12345):rep(2) == '1234512345' and ('x'):find('x', math.mininteger) == 1",
        "('üöä'):match('ö') == 'ö' and #('ö') == 2", "utf8.len('üöä') == 3", "('%d'):find('%%d') == 1",
        "('a$'):find('a$') == nil", "('a$b'):match('$b') == '$b'",
        "('aXb'):match('%u') == 'X' and ('\\t'):match('%c') == '\\t' and ('!'):match('%p') == '!' and ('f'):match('%x') == 'f' and ('g'):match('%x') == nil",
        "('abc'):match('((a)(b))') == 'ab' and select(3, ('abc'):match('((a)(b))')) == 'b'",
    ])
    func `an expression holds`(expression: String) {
        let error = failure(
            "local holds = (\(expression.replacing("(12345)", with: "('12345')")))\nif not holds then error('no') end")
        #expect(error?.code == .result, "\(expression): \(String(describing: error))")
    }

    @Test(arguments: [
        ("('x'):find('[a')", "malformed pattern (missing ']')"), ("('x'):find('[')", "malformed pattern (missing ']')"),
        ("('x'):find('%')", "malformed pattern (ends with '%')"), ("('x'):find('(')", "unfinished capture"),
        ("('x'):match(')')", "invalid pattern capture"), ("('x'):find('%1')", "invalid capture index %1 in pattern"),
        ("('x'):find('%b')", "malformed pattern (missing arguments to '%b')"),
        ("('x'):find('%fa')", "missing '[' after '%f' in pattern"),
        ("('x'):find(('()'):rep(33))", "too many captures"), ("('x'):find(('a*'):rep(201))", "pattern too complex"),
        ("('x'):find(('.'):rep(20001))", "pattern too long"),
        ("('x'):gsub('x', '%')", "invalid use of '%' in replacement string"),
        ("('x'):gsub('x', '%2')", "invalid capture index %2"),
        (
            "string.gsub('x', 'x', true)",
            "‘gsub’ wants a text, a function or a table as its argument 3, but was given true or false"
        ),
        ("('x'):gsub('x', function() return {} end)", "invalid replacement value (a table)"),
    ])
    func `a wrong pattern is an error at its line`(call: String, message: String) {
        #expect(
            failure("\nlocal _ = \(call)")?.description.hasPrefix("edit.lua:2: \(message)") == true,
            "\(call): \(String(describing: failure("\nlocal _ = \(call)")))")
    }
}
