import Draft
import Testing

@Suite struct TrackLanguageTests {
    @Test func `both codes of a language are stored as the same one`() {
        let pairs = [
            ("deu", "ger", "ger"), ("fra", "fre", "fra"), ("nld", "dut", "dut"), ("zho", "chi", "chi"),
            ("ces", "cze", "ces"), ("ron", "rum", "ron"), ("ell", "gre", "gre"), ("cym", "wel", "wel"),
        ]
        for (standard, other, name) in pairs {
            #expect(TrackLanguage.quickTimeName(standard) == name && TrackLanguage.quickTimeName(other) == name)
        }
        #expect(TrackLanguage.quickTimeName("swe") == "sve" && TrackLanguage.quickTimeName("hrv") == "hr ")
        for code in ["fas", "per", "mri", "sna", "xyz", "und"] {
            #expect(TrackLanguage.quickTimeName(code) == nil, "\(code)")
        }
    }

    @Test func `codes of ISO 639-2 are known`() {
        for code in ["eng", "deu", "ger", "zza", "aar", "qaa", "qtz", "und", "mul", "zxx"] {
            #expect(TrackLanguage.isStandard(code), "\(code)")
        }
        for code in ["xyz", "sve", "iri", "qua", "", "en", "ENG"] {
            #expect(!TrackLanguage.isStandard(code), "\(code)")
        }
    }
}
