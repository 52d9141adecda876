/// The languages of tracks: codes of ISO 639-2, and what a QuickTime file can store of them.
public enum TrackLanguage {
    /// Returns whether a code is in ISO 639-2: as terminological or bibliographic code, or as one
    /// of those for local use.
    public static func isStandard(_ code: String) -> Bool {
        terminological.contains(code) || synonyms[code] != nil || ("qaa"..."qtz").contains(code)
    }

    /// Returns the name under which libavformat's `mov` muxer stores a language; nil if a MOV file
    /// cannot hold it. The muxer writes only the language codes of the classic Mac OS, and knows
    /// each of them by one name, which for some is not a code of ISO 639-2.
    public static func quickTimeName(_ code: String) -> String? {
        let standard = synonyms[code] ?? code
        return quickTimeNames[standard] ?? (quickTimeCodes.contains(standard) ? standard : nil)
    }

    /// Bibliographic codes and the terminological ones that mean the same.
    private static let synonyms = [
        "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho", "cze": "ces", "dut": "nld", "fre": "fra",
        "geo": "kat", "ger": "deu", "gre": "ell", "ice": "isl", "mac": "mkd", "mao": "mri", "may": "msa", "per": "fas",
        "rum": "ron", "slo": "slk", "tib": "bod", "wel": "cym",
    ]

    /// Terminological codes that libavformat calls otherwise (`mov_mdhd_language_map`).
    private static let quickTimeNames = [
        "bod": "tib", "cym": "wel", "deu": "ger", "ell": "gre", "eus": "baq", "fao": "fo ", "gle": "iri", "hrv": "hr ",
        "hye": "arm", "isl": "ice", "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "nld": "dut", "pan": "pa ",
        "sqi": "alb", "srp": "sr ", "swe": "sve", "zho": "chi",
    ]

    /// The codes that libavformat knows under their own names (`mov_mdhd_language_map`).
    private static let quickTimeCodes = codes(
        """
        amh ara asm aym aze bel ben bul cat ces dan dzo eng epo est fin fra grn guj heb hin hun ind ita jav jpn kan \
        kas kaz khm kir kor kur lao lat lav lit mal mar mlg mlt mol mon nep nor ori orm pol por pus que ron run rus san \
        slk slv snd som spa swa tam tat tel tgk tgl tha tir tuk tur uig ukr urd uzb vie yid
        """)

    /// The terminological codes of ISO 639-2, without those for local use.
    private static let terminological = codes(
        """
        aar abk ace ach ada ady afa afh afr ain aka akk ale alg alt amh ang anp apa ara arc arg arn arp art arw asm \
        ast ath aus ava ave awa aym aze bad bai bak bal bam ban bas bat bej bel bem ben ber bho bih bik bin bis bla \
        bnt bod bos bra bre btk bua bug bul byn cad cai car cat cau ceb cel ces cha chb che chg chk chm chn cho chp \
        chr chu chv chy cmc cnr cop cor cos cpe cpf cpp cre crh crp csb cus cym dak dan dar day del den deu dgr din \
        div doi dra dsb dua dum dyu dzo efi egy eka ell elx eng enm epo est eus ewe ewo fan fao fas fat fij fil fin \
        fiu fon fra frm fro frr frs fry ful fur gaa gay gba gem gez gil gla gle glg glv gmh goh gon gor got grb grc \
        grn gsw guj gwi hai hat hau haw heb her hil him hin hit hmn hmo hrv hsb hun hup hye iba ibo ido iii ijo iku \
        ile ilo ina inc ind ine inh ipk ira iro isl ita jav jbo jpn jpr jrb kaa kab kac kal kam kan kar kas kat kau \
        kaw kaz kbd kha khi khm kho kik kin kir kmb kok kom kon kor kos kpe krc krl kro kru kua kum kur kut lad lah \
        lam lao lat lav lez lim lin lit lol loz ltz lua lub lug lui lun luo lus mad mag mah mai mak mal man map mar \
        mas mdf mdr men mga mic min mis mkd mkh mlg mlt mnc mni mno moh mon mos mri msa mul mun mus mwl mwr mya myn \
        myv nah nai nap nau nav nbl nde ndo nds nep new nia nic niu nld nno nob nog non nor nqo nso nub nwc nya nym \
        nyn nyo nzi oci oji ori orm osa oss ota oto paa pag pal pam pan pap pau peo phi phn pli pol pon por pra pro \
        pus que raj rap rar roa roh rom ron run rup rus sad sag sah sai sal sam san sas sat scn sco sel sem sga sgn \
        shn sid sin sio sit sla slk slv sma sme smi smj smn smo sms sna snd snk sog som son sot spa sqi srd srn srp \
        srr ssa ssw suk sun sus sux swa swe syc syr tah tai tam tat tel tem ter tet tgk tgl tha tig tir tiv tkl tlh \
        tli tmh tog ton tpi tsi tsn tso tuk tum tup tur tut tvl twi tyv udm uga uig ukr umb und urd uzb vai ven vie \
        vol vot wak wal war was wen wln wol xal xho yao yap yid yor ypk zap zbl zen zgh zha zho znd zul zun zxx zza
        """)

    private static func codes(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
}
