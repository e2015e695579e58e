// truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && valac -q -d . -o $(basename $BIN) $SRC -X -O2 -X -fno-inline -X -fno-omit-frame-pointer -X truth.o
// truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && valac -q -d . -o $(basename $BIN) $SRC -X -O2 -X -fno-inline -X truth.o
extern void truth_start ();
extern void truth_stop (string stack);
extern int truth_go_on ();

int sink;

class Worker : Object {
	public void leaf (int n) {
		for (int i = 0; i < n; i++)
			AtomicInt.set (ref sink, i);
	}

	public virtual void work (int n) {
		leaf (n);
		AtomicInt.set (ref sink, 1);
	}
}

int main () {
	var worker = new Worker ();
	while (truth_go_on () != 0) {
		truth_start ();
		worker.work (2000000);
		truth_stop ("_vala_main;...;worker_real_work;worker_leaf");
		truth_start ();
		worker.leaf (2000000);
		truth_stop ("_vala_main;worker_leaf");
	}
	return 0;
}
