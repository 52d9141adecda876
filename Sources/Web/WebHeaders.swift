/// Header fields of every response.
package enum WebHeaders {
    package static let all: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"),
    ]

    private static let policy = [
        "default-src 'self'", "media-src 'self' blob:", "img-src 'self' blob: data:", "style-src 'self'",
        "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
}
