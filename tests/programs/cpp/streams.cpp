// Streams: formats, manipulators, string streams, states and exceptions, locales with facets of their own.
#include <bitset>
#include <complex>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <limits>
#include <locale>
#include <sstream>

struct Groups : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
    std::string do_truename() const override { return "ja"; }
};

struct Point { int x, y; };
std::ostream &operator<<(std::ostream &out, const Point &p) { return out << '(' << p.x << ", " << p.y << ')'; }
std::istream &operator>>(std::istream &in, Point &p) {
    char open, comma, close;
    if (in >> open >> p.x >> comma >> p.y >> close && (open != '(' || comma != ',' || close != ')'))
        in.setstate(std::ios::failbit);
    return in;
}

void formats() {
    std::cout << 42 << ' ' << -17L << ' ' << 3.25 << ' ' << std::hex << 255 << ' ' << std::showbase << 255 << std::oct
              << ' ' << 8 << std::dec << ' ' << std::showpos << 5 << std::noshowpos << '\n';
    std::cout << std::setw(10) << std::left << "ab" << '|' << std::setw(8) << std::right << std::setfill('*') << 12
              << '|' << std::internal << std::setw(8) << -5 << '\n';
    std::cout << std::boolalpha << true << false << std::noboolalpha << true << '\n';
    std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678 << ' '
              << std::defaultfloat << 1e20 << ' ' << 0.1f << ' ' << std::hexfloat << 1.5 << std::defaultfloat << ' '
              << 1.5L << '\n';
    std::cout << std::numeric_limits<double>::infinity() << ' ' << -0.0 << ' '
              << std::numeric_limits<long long>::min() << ' ' << std::numeric_limits<unsigned long>::max() << '\n';
    std::cout << std::quoted("a \"b\"") << ' ' << std::bitset<6>(37) << ' ' << std::complex<double>(1, -2) << ' '
              << reinterpret_cast<void *>(0x1234) << ' ' << Point{3, -4} << '\n';
    std::tm time = {};
    time.tm_year = 120, time.tm_mon = 1, time.tm_mday = 29, time.tm_hour = 13, time.tm_wday = 6;
    std::cout << std::put_time(&time, "%Y-%m-%d %H:%M %A %b %p") << '\n';
    std::cout << std::put_money(12345.0L) << '\n';
}

void strings() {
    std::stringstream all("12 abc 3.5 0x1f -7 true 99999999999999 tail");
    int number, hex, negative, big;
    std::string word;
    double real;
    bool truth;
    all >> number >> word >> real >> std::hex >> hex >> std::dec >> negative >> std::boolalpha >> truth;
    std::cout << number << word << real << ' ' << hex << ' ' << negative << ' ' << truth << '\n';
    all >> big;
    std::cout << big << all.fail() << all.eof() << '\n';
    all.clear();
    all >> word;
    std::cout << word << all.good() << all.eof() << all.rdstate() << '\n';
    std::istringstream lines("one\ntwo\n\nfour");
    for (std::string line; std::getline(lines, line);) std::cout << '[' << line << ']';
    std::cout << '\n';
    std::istringstream letters("  hello, world");
    char c, array[6];
    letters >> std::ws >> c;
    letters.get(array, 6);
    std::cout << c << array << letters.gcount() << char(letters.peek());
    letters.ignore(10, 'w').unget();
    letters >> std::setw(3) >> array;
    std::cout << array << letters.tellg() << '\n';
    letters.seekg(2);
    letters.read(array, 5);
    array[5] = 0;
    std::cout << array << letters.gcount() << '\n';
    Point p = {};
    std::istringstream points("( 1 , 2 ) [3,4]");
    points >> p;
    std::cout << p << bool(points) << bool(points >> p) << '\n';
    std::ostringstream moved = std::ostringstream("start", std::ios::ate);
    moved << "ed " << 1;
    std::ostringstream taken = std::move(moved);
    std::cout << taken.str() << taken.tellp() << '\n';
    std::istringstream times("2021-03-04 05:06:07");
    std::tm time = {};
    times >> std::get_time(&time, "%Y-%m-%d %H:%M:%S");
    std::cout << time.tm_year << ' ' << time.tm_mon << ' ' << time.tm_mday << ' ' << time.tm_sec << '\n';
    std::istringstream hard("1e400 nan 7");
    real = 0;
    hard >> real;
    std::cout << (real == std::numeric_limits<double>::max()) << hard.fail() << '\n';
}

void locales() {
    const std::locale grouped(std::locale::classic(), new Groups);
    std::ostringstream out;
    out.imbue(grouped);
    out << 1234567 << ' ' << 12.5 << ' ' << std::boolalpha << true;
    std::cout << out.str() << ' ' << grouped.name() << ' ' << std::locale().name() << '\n';
    std::istringstream in("1.234.567 1.2");
    in.imbue(grouped);
    long number = 0;
    in >> number;
    std::cout << number;
    in >> number;
    std::cout << ' ' << in.fail() << '\n';
    const std::locale &classic = std::locale::classic();
    std::string word = "Grey Fox 7";
    std::use_facet<std::ctype<char>>(classic).toupper(&word[0], &word[0] + word.size());
    std::cout << word << std::isalpha('1', classic) << std::isspace(' ', classic) << (classic == std::locale("C"))
              << std::use_facet<std::collate<char>>(classic).compare(&word[0], &word[1], &word[1], &word[2]) << '\n';
    try {
        std::locale unknown("xx_YY");
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << '\n';
    }
}

void states() {
    std::istringstream in("x");
    in.exceptions(std::ios::failbit);
    int number;
    try {
        in >> number;
    } catch (const std::ios_base::failure &failure) {
        std::cout << failure.what() << ' ' << failure.code() << ' ' << failure.code().message() << '\n';
    }
    const int index = std::ios_base::xalloc();
    std::cout.iword(index) = 7;
    std::cout << std::cout.iword(index) << std::cout.iword(index + 50) << '\n';
    std::ostream none(nullptr);
    none << "nothing";
    std::cout << none.bad() << '\n';
    std::ostringstream aside;
    std::streambuf *before = std::cout.rdbuf(aside.rdbuf());
    std::cout << "aside";
    std::cout.rdbuf(before);
    std::cout << aside.str().size() << '\n';
}

int main() {
    formats();
    strings();
    locales();
    states();
    std::cerr << "to the side " << 1 << std::endl;
    std::clog << "and once more\n";
    std::cout << "no end of line";
}
