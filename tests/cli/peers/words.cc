// Templates, lambdas, operators, anonymous namespaces and threads, for a recording.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct less_by_size {
	bool operator()(const std::string &a, const std::string &b) const
	{
		return a.size() != b.size() ? a.size() < b.size() : a < b;
	}
};

template <typename T> struct counter {
	std::map<std::string, T> words;
	__attribute__((noinline)) void add(const std::string &word)
	{
		words[word] += 1;
	}
};

__attribute__((noinline)) std::string word(unsigned n)
{
	std::string text;

	for (; n; n /= 26)
		text += static_cast<char>('a' + n % 26);
	return text;
}

} // namespace

namespace work {

__attribute__((noinline)) void run(unsigned rounds)
{
	counter<long> c;
	std::vector<std::string> sorted;
	std::function<void(unsigned)> add = [&](unsigned n) { c.add(word(n * 7919 % 5003)); };

	for (unsigned i = 0; i < rounds; i++)
		add(i);
	for (const auto &entry : c.words)
		sorted.push_back(entry.first);
	std::sort(sorted.begin(), sorted.end(), less_by_size());
}

} // namespace work

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? static_cast<unsigned>(std::stoi(argv[1])) : 100000;
	std::thread other(work::run, rounds);

	work::run(rounds);
	other.join();
	return 0;
}
