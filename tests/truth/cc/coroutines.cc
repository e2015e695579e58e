// truth fp: g++ -std=c++20 -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): g++ -std=c++20 -O2 -I$HERE -o $BIN $SRC
// C++20's coroutines: the stack is that of who resumes.
#include "truth.h"
#include <coroutine>

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

struct task {
	struct promise_type {
		task get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};

TRUTH_NOINLINE static task endless(unsigned long n)
{
	for (;;) {
		leaf(n);
		co_await std::suspend_always{};
	}
}

TRUTH_NOINLINE static void resumes(task &t)
{
	t.handle.resume();
	TRUTH_STAY();
}

int main()
{
	task t = endless(10 * TRUTH_MS);

	while (truth_more()) {
		TRUTH("main;resumes;...;endless*;leaf", resumes(t));
		TRUTH("main;leaf", leaf(10 * TRUTH_MS));
	}
	return 0;
}
