/** Three quarters of the time in hot(), the rest in warm(); says its pid. */
public class Hot {
	static volatile int sum;

	static int hot(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s = s * 31 + i;
		return s;
	}

	static int warm(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s = s ^ (i * 7);
		return s;
	}

	static int run(boolean hot, long ms) {
		long until = System.nanoTime() + ms * 1000000;
		int s = 0;
		while (System.nanoTime() < until)
			s += hot ? hot(300000) : warm(300000);
		return s;
	}

	public static void main(String[] arguments) {
		for (int k = 0; k < 5; k++) {
			sum += run(true, 300);
			sum += run(false, 100);
		}
		System.out.println(ProcessHandle.current().pid());
	}
}
