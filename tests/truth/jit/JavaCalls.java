// truth: mkdir -p classes && javac -d classes $SRC
// run: exec java -cp classes -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:-TieredCompilation -Xcomp -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,JavaCalls::* -XX:CompileCommand=dontinline,JavaCalls::* JavaCalls
// truth tiered: mkdir -p classes && javac -d classes $SRC
// run tiered: exec java -cp classes -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,JavaCalls::* JavaCalls
// truth nofp (nofp): mkdir -p classes && javac -d classes $SRC
// run nofp: exec java -cp classes -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:-TieredCompilation -Xcomp -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,JavaCalls::* -XX:CompileCommand=dontinline,JavaCalls::* JavaCalls
import java.io.FileWriter;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

class JavaCalls {
	static int sink;
	static final Map<String, Long> times = new HashMap<>();

	static int leaf(int n) {
		int s = n;
		for (int i = 0; i < n; i++)
			s = s * 31 + (i ^ s >> 3);
		return s;
	}

	static int work(int n) {
		return leaf(n) + 1;
	}

	static int other(int n) {
		return work(n) + 1;
	}

	static int down(int depth, int n) {
		return depth == 0 ? leaf(n) : down(depth - 1, n) + 1;
	}

	static void slice(int n) {
		long t0 = now();
		sink += work(n);
		long t1 = now();
		sink += other(n);
		long t2 = now();
		sink += down(5, n);
		long t3 = now();
		add("~*::call_helper;...;*JavaCalls.work;*JavaCalls.leaf", t1 - t0);
		add("~*::call_helper;...;*JavaCalls.other;*JavaCalls.work;*JavaCalls.leaf", t2 - t1);
		add("~*::call_helper;...;*JavaCalls.down x6;*JavaCalls.leaf", t3 - t2);
	}

	static long now() {
		return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
	}

	static void add(String stack, long ns) {
		times.merge(stack, ns, Long::sum);
	}

	public static void main(String[] unused) throws Exception {
		for (int i = 0; i < 30000; i++)
			sink += work(10) + other(10) + down(5, 10);
		long end = now() + 1000000000L;
		while (now() < end)
			slice(12000000);
		try (FileWriter f = new FileWriter(System.getenv("TRUTH"))) {
			f.write("# " + ProcessHandle.current().pid() + "\n");
			for (Map.Entry<String, Long> e : times.entrySet())
				f.write(e.getKey() + " " + e.getValue() + "\n");
		}
	}
}
