// truth: mcs -nologo -unsafe -out:calls.exe $SRC
// run: exec mono --jitmap calls.exe
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static class Calls
{
	struct Timespec { public long seconds, nanoseconds; }

	[DllImport("libc")]
	static extern int clock_gettime(int clock, out Timespec time);

	static readonly Dictionary<string, long> times = new Dictionary<string, long>();
	static int sink;

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int Leaf(int n)
	{
		int s = n;
		for (int i = 0; i < n; i++)
			s = s * 31 + (i ^ s >> 3);
		return s;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int Work(int n)
	{
		return Leaf(n) + 1;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int Other(int n)
	{
		return Work(n) + 1;
	}

	static long Now()
	{
		Timespec t;
		clock_gettime(3, out t);
		return t.seconds * 1000000000 + t.nanoseconds;
	}

	static void Add(string stack, long ns)
	{
		long before;
		times.TryGetValue(stack, out before);
		times[stack] = before + ns;
	}

	static void Main()
	{
		for (long end = Now() + 1000000000; Now() < end;) {
			long begin = Now();
			sink += Work(5000000);
			long middle = Now();
			sink += Other(5000000);
			Add("*Calls:Main*;*Calls:Work*;*Calls:Leaf*", middle - begin);
			Add("*Calls:Main*;*Calls:Other*;*Calls:Work*;*Calls:Leaf*", Now() - middle);
		}
		using (var f = new StreamWriter(Environment.GetEnvironmentVariable("TRUTH"))) {
			f.Write("# " + System.Diagnostics.Process.GetCurrentProcess().Id + "\n");
			foreach (var e in times)
				f.Write(e.Key + " " + e.Value + "\n");
		}
	}
}
