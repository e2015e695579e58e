// The standard library's templates, for which debug information is largest.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace work {

struct visitor {
	virtual ~visitor() = default;
	virtual int visit(const std::string &) = 0;
};

struct counter : visitor {
	std::map<std::string, int> seen;
	int visit(const std::string &s) override { return ++seen[s]; }
};

static int helper(int n)
{
	return n * 3 + (n >> 2);
}

int run(const std::string &text)
{
	std::unordered_map<std::string, std::vector<int>> groups;
	std::vector<std::shared_ptr<visitor>> visitors;
	std::function<int(int)> f = [&](int n) { return (int)(text + std::to_string(n)).size(); };
	int sum = 0;

	for (int i = 0; i < 50; i++)
		groups[std::to_string(i % 7)].push_back(helper(i));
	for (auto &group : groups)
		std::sort(group.second.begin(), group.second.end(),
			  [](int a, int b) { return a > b; });
	for (int i = 0; i < 4; i++)
		visitors.push_back(std::make_shared<counter>());
	for (auto &v : visitors)
		sum += v->visit(text);
	return sum + f(sum);
}

} // namespace work

int main(int argc, char **argv)
{
	return work::run(argv[argc - 1]);
}
