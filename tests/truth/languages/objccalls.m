// truth fp: gcc -x objective-c -std=gnu99 -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC -lobjc
// truth O2 (nofp): gcc -x objective-c -std=gnu99 -O2 -I$HERE -o $BIN $SRC -lobjc
#include "truth.h"
#import <objc/Object.h>
#import <objc/runtime.h>

@interface Worker : Object
- (void)leaf:(unsigned long)n;
- (void)work:(unsigned long)n;
+ (void)shared:(unsigned long)n with:(Worker *)worker;
@end

@implementation Worker
- (void)leaf:(unsigned long)n
{
	TRUTH_FRAMED_SPIN(n);
}
- (void)work:(unsigned long)n
{
	[self leaf:n];
	TRUTH_STAY();
}
+ (void)shared:(unsigned long)n with:(Worker *)worker
{
	[worker work:n];
	TRUTH_STAY();
}
@end

int main(void)
{
	Worker *worker = class_createInstance(objc_getClass("Worker"), 0);

	while (truth_more()) {
		TRUTH("main;_i_Worker__work_;_i_Worker__leaf_", [worker work:10 * TRUTH_MS]);
		TRUTH("main;_c_Worker__shared_with_;_i_Worker__work_;_i_Worker__leaf_",
		      [Worker shared:10 * TRUTH_MS with:worker]);
	}
	return 0;
}
