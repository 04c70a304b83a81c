// Reads standard input by streams, with the C library beside them.
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

int main() {
    int count;
    std::cin >> count;
    std::cin.ignore(100, '\n');
    std::map<std::string, double> totals;
    std::string line;
    for (int i = 0; i < count && std::getline(std::cin, line); ++i) {
        std::istringstream fields(line);
        std::string name;
        double value;
        while (fields >> name >> value) totals[name] += value;
        if (!fields.eof()) std::cout << "line " << i + 1 << ": cannot read the rest\n";
    }
    for (const auto &[name, total] : totals)
        std::cout << std::setw(8) << std::left << name << std::right << std::setw(9) << std::fixed
                  << std::setprecision(2) << total << std::endl;
    std::printf("in between %d\n", std::getchar());
    std::fflush(stdout);
    std::cout << char(std::cin.get()) << std::cin.peek() << '\n';
    std::size_t characters = 0;
    for (char c; std::cin.get(c);) ++characters;
    std::cout << characters << ' ' << std::cin.eof() << std::cin.fail() << '\n';
    return totals.size() == 3 ? 0 : 1;
}
