// Wide characters: their streams, files, strings and regular expressions.
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <regex>
#include <sstream>
#include <string>

int main() {
    std::wcout << L"wide " << 42 << L' ' << 2.5 << L' ' << std::boolalpha << true << std::endl;
    std::wstringstream stream;
    stream << L"a b " << std::setw(5) << 7 << L" 0x1f";
    std::wstring one, two;
    int number, hex;
    stream >> one >> two >> number >> std::hex >> hex;
    std::wcout << one << two << number << L' ' << hex << L'\n';
    {
        std::wofstream file("refrain-wide-test.txt");
        file << L"one\ntwo " << 3 << L'\n';
    }
    {
        std::wifstream file("refrain-wide-test.txt");
        for (std::wstring line; std::getline(file, line);) std::wcout << line.size() << L':' << line << L'\n';
    }
    std::remove("refrain-wide-test.txt");
    std::wsmatch match;
    const std::wstring text = L"key=value";
    if (std::regex_match(text, match, std::wregex(L"(\\w+)=(\\w+)")))
        std::wcout << match[1].str() << L' ' << match[2].str() << L'\n';
    const auto &kinds = std::use_facet<std::ctype<wchar_t>>(std::locale());
    std::wcout << kinds.toupper(L'q') << kinds.is(std::ctype_base::alpha, L'\u00e9')
               << kinds.is(std::ctype_base::digit, L'7') << kinds.narrow(L'\u00e9', '?') << L'\n';
    wchar_t letter;
    std::wcin >> letter >> number;
    std::wstring rest;
    std::getline(std::wcin, rest);
    std::wcout << letter << number << rest << L'\n';
    std::tm time = {};
    time.tm_year = 100, time.tm_mday = 1;
    std::wcout << std::put_time(&time, L"%Y-%m-%d") << L'\n';
    std::wcout << std::stoi(L"12") + 1 << L'\n';
}
