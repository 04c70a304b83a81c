// The facets of the classic locale for one type of characters, `REFRAIN_CHAR`, with `REFRAIN_TEXT` in front of its
// literals: what libstdc++'s headers leave to the library. Included once for each of the types.

namespace std {

template <> numpunct<REFRAIN_CHAR>::~numpunct() { delete _M_data; }
template <> void numpunct<REFRAIN_CHAR>::_M_initialize_numpunct(__c_locale) {
    if (!_M_data)
        _M_data = new __numpunct_cache<REFRAIN_CHAR>;
    _M_data->_M_grouping = "";
    _M_data->_M_grouping_size = 0;
    _M_data->_M_use_grouping = false;
    _M_data->_M_decimal_point = REFRAIN_TEXT('.');
    _M_data->_M_thousands_sep = REFRAIN_TEXT(',');
    for (size_t i = 0; i < __num_base::_S_oend; ++i)
        _M_data->_M_atoms_out[i] = REFRAIN_CHAR(__num_base::_S_atoms_out[i]);
    for (size_t i = 0; i < __num_base::_S_iend; ++i)
        _M_data->_M_atoms_in[i] = REFRAIN_CHAR(__num_base::_S_atoms_in[i]);
    _M_data->_M_truename = REFRAIN_TEXT("true");
    _M_data->_M_truename_size = 4;
    _M_data->_M_falsename = REFRAIN_TEXT("false");
    _M_data->_M_falsename_size = 5;
}

#define REFRAIN_MONEY(international)                                                                                 \
    template <> moneypunct<REFRAIN_CHAR, international>::~moneypunct() { delete _M_data; }                           \
    template <>                                                                                                      \
    void moneypunct<REFRAIN_CHAR, international>::_M_initialize_moneypunct(__c_locale, const char *) {               \
        if (!_M_data)                                                                                                \
            _M_data = new __moneypunct_cache<REFRAIN_CHAR, international>;                                           \
        _M_data->_M_decimal_point = REFRAIN_TEXT('.');                                                               \
        _M_data->_M_thousands_sep = REFRAIN_TEXT(',');                                                               \
        _M_data->_M_grouping = "";                                                                                   \
        _M_data->_M_grouping_size = 0;                                                                               \
        _M_data->_M_use_grouping = false;                                                                            \
        _M_data->_M_curr_symbol = REFRAIN_TEXT("");                                                                  \
        _M_data->_M_curr_symbol_size = 0;                                                                            \
        _M_data->_M_positive_sign = REFRAIN_TEXT("");                                                                \
        _M_data->_M_positive_sign_size = 0;                                                                          \
        _M_data->_M_negative_sign = REFRAIN_TEXT("");                                                                \
        _M_data->_M_negative_sign_size = 0;                                                                          \
        _M_data->_M_frac_digits = 0;                                                                                 \
        _M_data->_M_pos_format = money_base::_S_default_pattern;                                                     \
        _M_data->_M_neg_format = money_base::_S_default_pattern;                                                     \
        for (size_t i = 0; i < money_base::_S_end; ++i)                                                              \
            _M_data->_M_atoms[i] = REFRAIN_CHAR(money_base::_S_atoms[i]);                                            \
    }
REFRAIN_MONEY(true)
REFRAIN_MONEY(false)
#undef REFRAIN_MONEY

template <>
const REFRAIN_CHAR *__timepunct_cache<REFRAIN_CHAR>::_S_timezones[14] = {
    REFRAIN_TEXT("GMT"), REFRAIN_TEXT("HST"), REFRAIN_TEXT("AKST"), REFRAIN_TEXT("PST"), REFRAIN_TEXT("MST"),
    REFRAIN_TEXT("CST"), REFRAIN_TEXT("EST"), REFRAIN_TEXT("AST"),  REFRAIN_TEXT("NST"), REFRAIN_TEXT("CET"),
    REFRAIN_TEXT("IST"), REFRAIN_TEXT("EET"), REFRAIN_TEXT("CST"),  REFRAIN_TEXT("JST"),
};

template <> void __timepunct<REFRAIN_CHAR>::_M_initialize_timepunct(__c_locale) {
    if (!_M_data)
        _M_data = new __timepunct_cache<REFRAIN_CHAR>;
    __timepunct_cache<REFRAIN_CHAR> &names = *_M_data;
    names._M_date_format = names._M_date_era_format = REFRAIN_TEXT("%m/%d/%y");
    names._M_time_format = names._M_time_era_format = REFRAIN_TEXT("%H:%M:%S");
    names._M_date_time_format = names._M_date_time_era_format = REFRAIN_TEXT("%a %b %e %H:%M:%S %Y");
    names._M_am = REFRAIN_TEXT("AM");
    names._M_pm = REFRAIN_TEXT("PM");
    names._M_am_pm_format = REFRAIN_TEXT("%I:%M:%S %p");
    names._M_day1 = REFRAIN_TEXT("Sunday");
    names._M_day2 = REFRAIN_TEXT("Monday");
    names._M_day3 = REFRAIN_TEXT("Tuesday");
    names._M_day4 = REFRAIN_TEXT("Wednesday");
    names._M_day5 = REFRAIN_TEXT("Thursday");
    names._M_day6 = REFRAIN_TEXT("Friday");
    names._M_day7 = REFRAIN_TEXT("Saturday");
    names._M_aday1 = REFRAIN_TEXT("Sun");
    names._M_aday2 = REFRAIN_TEXT("Mon");
    names._M_aday3 = REFRAIN_TEXT("Tue");
    names._M_aday4 = REFRAIN_TEXT("Wed");
    names._M_aday5 = REFRAIN_TEXT("Thu");
    names._M_aday6 = REFRAIN_TEXT("Fri");
    names._M_aday7 = REFRAIN_TEXT("Sat");
    names._M_month01 = REFRAIN_TEXT("January");
    names._M_month02 = REFRAIN_TEXT("February");
    names._M_month03 = REFRAIN_TEXT("March");
    names._M_month04 = REFRAIN_TEXT("April");
    names._M_month05 = REFRAIN_TEXT("May");
    names._M_month06 = REFRAIN_TEXT("June");
    names._M_month07 = REFRAIN_TEXT("July");
    names._M_month08 = REFRAIN_TEXT("August");
    names._M_month09 = REFRAIN_TEXT("September");
    names._M_month10 = REFRAIN_TEXT("October");
    names._M_month11 = REFRAIN_TEXT("November");
    names._M_month12 = REFRAIN_TEXT("December");
    names._M_amonth01 = REFRAIN_TEXT("Jan");
    names._M_amonth02 = REFRAIN_TEXT("Feb");
    names._M_amonth03 = REFRAIN_TEXT("Mar");
    names._M_amonth04 = REFRAIN_TEXT("Apr");
    names._M_amonth05 = REFRAIN_TEXT("May");
    names._M_amonth06 = REFRAIN_TEXT("Jun");
    names._M_amonth07 = REFRAIN_TEXT("Jul");
    names._M_amonth08 = REFRAIN_TEXT("Aug");
    names._M_amonth09 = REFRAIN_TEXT("Sep");
    names._M_amonth10 = REFRAIN_TEXT("Oct");
    names._M_amonth11 = REFRAIN_TEXT("Nov");
    names._M_amonth12 = REFRAIN_TEXT("Dec");
}

// There are no catalogues: every text is its own translation.
template <> messages<REFRAIN_CHAR>::catalog messages<REFRAIN_CHAR>::do_open(const string &, const locale &) const {
    return -1;
}
template <> void messages<REFRAIN_CHAR>::do_close(catalog) const {}
template <>
messages<REFRAIN_CHAR>::string_type messages<REFRAIN_CHAR>::do_get(catalog, int, int, const string_type &text) const {
    return text;
}

template <>
int collate<REFRAIN_CHAR>::_M_compare(const REFRAIN_CHAR *one, const REFRAIN_CHAR *other) const noexcept {
    size_t i = 0;
    while (one[i] != 0 && one[i] == other[i])
        ++i;
    typedef make_unsigned<REFRAIN_CHAR>::type Unsigned;
    typedef conditional<sizeof(REFRAIN_CHAR) == 1, Unsigned, REFRAIN_CHAR>::type Compared;
    return (Compared(one[i]) > Compared(other[i])) - (Compared(one[i]) < Compared(other[i]));
}
template <>
size_t collate<REFRAIN_CHAR>::_M_transform(REFRAIN_CHAR *to, const REFRAIN_CHAR *from, size_t room) const noexcept {
    const size_t length = char_traits<REFRAIN_CHAR>::length(from);
    for (size_t i = 0; i < room && i <= length; ++i)
        to[i] = from[i];
    return length;
}

namespace {

typedef void (*Install)(void *to, const locale::id *id, const locale::facet *facet);

template <class F> void install(Install install, void *to, F *facet) { install(to, &F::id, facet); }

/// Makes the facets that every locale has.
void install_facets(Install with, void *to) {
    typedef REFRAIN_CHAR C;
    install(with, to, REFRAIN_CTYPE);
    install(with, to, new codecvt<C, char, mbstate_t>(1));
    install(with, to, new numpunct<C>(1));
    install(with, to, new num_get<C>(1));
    install(with, to, new num_put<C>(1));
    install(with, to, new std::collate<C>(1));
    install(with, to, new moneypunct<C, false>(1));
    install(with, to, new moneypunct<C, true>(1));
    install(with, to, new money_get<C>(1));
    install(with, to, new money_put<C>(1));
    install(with, to, new __timepunct<C>(1));
    install(with, to, new time_get<C>(1));
    install(with, to, new time_put<C>(1));
    install(with, to, new std::messages<C>(1));
}

} // namespace

} // namespace std
