#!/usr/bin/env bats
# simpleperf's dialect of perf.data: Android. Names come with the recording.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# Little-endian numbers and text, in hex.
u16() { printf '%02x' $(($1 & 255)) $(($1 >> 8 & 255)); }
u32() { u16 $(($1 & 65535)); u16 $(($1 >> 16 & 65535)); }
u64() { u32 $(($1 & 0xffffffff)); u32 $(($1 >> 32 & 0xffffffff)); }
text() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
name() { text "$1"; printf 00; }
sized() { u32 $((${#1} / 2)); printf '%s' "$1"; }
meta() { local word; for word; do name "$word"; done; }

# file PATH KIND ADDRESS OFFSET [START SIZE NAME]...; an OFFSET of - is left out
file()
{
	local path=$1 kind=$2 address=$3 offset=$4 body
	shift 4
	body=$(name "$path"; u32 "$kind"; u64 "$address"; u32 $(($# / 3))
		while [ $# -gt 0 ]; do u64 "$1"; u32 "$2"; name "$3"; shift 3; done
		[ "$offset" = - ] || u64 "$offset")
	sized "$body"
}

# The same as protobuf: path, kind, address, symbols, offset.
varint()
{
	local n=$1
	while [ $((n & ~127)) -ne 0 ]; do
		printf '%02x' $((n & 127 | 128))
		n=$((n >> 7 & (1 << 57) - 1))
	done
	printf '%02x' "$n"
}
bytes() { printf '%02x' $(($1 << 3 | 2)); varint $((${#2} / 2)); printf '%s' "$2"; }
number() { printf '%02x' $(($1 << 3)); varint "$2"; }
file2()
{
	local path=$1 kind=$2 address=$3 offset=$4 body
	shift 4
	body=$(bytes 1 "$(text "$path")"; number 2 "$kind"; number 3 "$address"
		while [ $# -gt 0 ]; do
			bytes 4 "$(number 1 "$1"; number 2 "$2"; bytes 3 "$(text "$3")")"
			shift 3
		done
		bytes 6 "$(number 1 "$offset")")
	sized "$body"
}

kernel=0 elf=2 dex=3

# One process of which everything is mapped, and one sample; more lines on standard input.
app()
{
	{
		cat <<-'END'
		attr name="" sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
		comm pid=7 name=app time=1
		mmap pid=-1 mode=kernel start=0 len=0xfffffffffffff000 off=0 name=[kernel.kallsyms] time=1
		mmap2 pid=7 start=0x10000 len=0x4000 off=0x1000 prot=5 name=/system/lib64/liba.so time=1
		mmap2 pid=7 start=0x20000 len=0x4000 off=0 prot=5 name="/data/app/x/base.apk!/lib/arm64/libx.so" time=1
		mmap2 pid=7 start=0x30000 len=0x4000 off=0 prot=1 name="/data/app/x/base.apk!/classes.dex" time=1
		mmap2 pid=7 start=0x40000 len=0x100 off=0x777 prot=0x4000 name=perf.data_jit_app_cache:0-99 time=1
		mmap2 pid=7 start=0x50000 len=0x1000 off=0 prot=5 name="/dev/ashmem/dalvik-jit-code-cache (deleted)" time=1
		sample pid=7 time=9 ip=0xffff800000000010 mode=kernel period=5 chain=K,0xffff800000000010,U,0x10010,0x20010,0x30010,0x40010,0x50010,0x10030
		END
		cat
	} | "$build" -o app.data -
}

wanted='app;last;[dalvik-jit-code-cache]_[j];java.lang.Object.wait_[j];com.example.Main.run;x::run;first;do_idle_[k] 5'

symbols()
{
	"$1" /system/lib64/liba.so $elf 0x3000 0x1000 0x3010 16 first 0x3030 1 last
	"$1" "/data/app/x/base.apk!/lib/arm64/libx.so" $elf 0 0 0x10 16 _ZN1x3runEv
	"$1" "/data/app/x/base.apk!/classes.dex" $dex 0 0 0x10 8 com.example.Main.run
	"$1" perf.data_jit_app_cache:0-99 $elf 0 0 0x40000 32 java.lang.Object.wait
	"$1" "[kernel.kallsyms]" $kernel 0 0 0xffff800000000000 32 do_idle
}

@test "names of the files that samples hit come with the recording" {
	# Kinds other than ELF end after their symbols; what stands behind is passed over.
	app <<-END
	feature number=128 hex=$(symbols file)
	feature number=129 hex=$(meta simpleperf_version 1.2)
	END
	[ "$(fold --all app.data)" = "$wanted" ]
}

@test "as protobuf they are the same" {
	app <<-END
	feature number=129 hex=$(meta simpleperf_version 1.2)
	feature number=132 hex=$(symbols file2)
	END
	[ "$(fold --all app.data)" = "$wanted" ]
}

@test "what perf would have made of it has none of them" {
	app <<-END
	feature number=128 hex=$(symbols file)
	feature number=129 hex=$(meta simpleperf_version 1.2)
	END
	run -0 fold --all --compat=stackcollapse app.data
	[[ $output != *first* && $output != *do_idle* && $output != *java* ]]
}

@test "code without a name is named after its file" {
	app <<-END
	feature number=129 hex=$(meta simpleperf_version 1.2)
	END
	[ "$(fold --all app.data)" = "app;[liba.so];[dalvik-jit-code-cache]_[j];[JIT app cache]_[j];[classes.dex];[libx.so];[liba.so];[kernel.kallsyms]_[k] 5" ]
}

@test "callers are addresses of calls: those of another recorder are one byte before" {
	app <<-END
	feature number=128 hex=$(file /system/lib64/liba.so $elf 0x3000 0x1000 0x3030 1 last)
	END
	run -0 fold app.data
	[[ $output = "app;[liba.so];"* ]]
}

@test "info says who recorded and what" {
	app <<-END
	feature number=129 hex=$(meta simpleperf_version 1.2 product_props Maker:Eight:e android_version 11 event_type_info cpu-cycles,0,0)
	END
	run -0 "$flamefold" info --format=json app.data
	[[ $output = *'"perf_version": "simpleperf 1.2"'* ]]
	[[ $output = *'"host": "Maker Eight (e), Android 11"'* ]]
	[[ $output = *'"name": "cpu-cycles"'* ]]
}

@test "advice is for the program that recorded, whatever its file is called" {
	{
		echo 'feature cmdline=/home/user/sp_static,record,-b'
		echo 'attr name="" sample_type=IP,TID,TIME,PERIOD flags=sample_id_all'
		echo 'sample pid=7 time=9 ip=0x10 period=5'
		echo "feature number=129 hex=$(meta simpleperf_version 1.2)"
	} | "$build" -o flat.data -
	run -0 "$flamefold" info flat.data
	[[ $output = *"simpleperf record --call-graph dwarf"* ]]
}

@test "an event of a processor's own kind has the name of its kind, however it was configured" {
	{
		echo 'attr name="" type=7 config=0x4000 sample_type=IP,TID,TIME flags=sample_id_all'
		echo 'attr name="" type=0 config=5 sample_type=IP,TID,TIME flags=sample_id_all'
		echo 'sample pid=7 time=9 ip=0x10'
		echo "feature number=129 hex=$(meta simpleperf_version 1.2 event_type_info 'cs-etm,7,0
cpu-cycles,0,0')"
	} | "$build" -o etm.data -
	run -0 "$flamefold" info --format=json etm.data
	[[ $output = *'"name": "cs-etm"'* ]]
	[[ $output = *'"name": "branch-misses"'* ]]
	[[ $output != *'"name": "cpu-cycles"'* ]]
}

@test "records of its own are named and counted" {
	app <<-END
	raw type=32776 hex=$(u64 1)
	raw type=32778 hex=$(u64 1)
	raw type=32778 hex=$(u64 1)
	END
	run -0 "$flamefold" info --format=json app.data
	[[ $output = *'"SIMPLEPERF_UNWINDING_RESULT": 1'* ]]
	[[ $output = *'"SIMPLEPERF_DEBUG": 2'* ]]
	[[ $output = *'"unknown_records": 0'* ]]
}

@test "a chain in a record of its own is that of the sample of its thread and time" {
	"$build" -o chain.data - <<-END
	attr sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=7 name=app time=1
	mmap2 pid=7 start=0x10000 len=0x4000 off=0 prot=5 name=/bin/a time=1
	raw type=32775 hex=$(u32 7; u32 7; u64 2; u64 9; u64 2; u64 $((0x10010)); u64 $((0x10020)); u64 0; u64 0)
	sample pid=7 time=9 ip=0xffff800000000010 mode=kernel period=5 chain=K,0xffff800000000010
	sample pid=7 time=10 ip=0xffff800000000010 mode=kernel period=3 chain=K,0xffff800000000010
	feature number=128 hex=$(file /bin/a $elf 0 0 $((0x10)) 1 leaf $((0x20)) 1 root)
	feature number=129 hex=$(meta simpleperf_version 1.2)
	END
	fold chain.data >folded
	diff folded - <<-END
	app;[unknown] 3
	app;root;leaf;[unknown] 5
	END
}

@test "names of code that a runtime made have no map but are found" {
	"$build" -o jit.data - <<-END
	attr sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=7 name=app exec time=3
	sample pid=7 time=9 ip=0x5008 mode=user period=5 chain=U,0x5008
	feature number=128 hex=$(file perf-7.map 4 0 - $((0x5000)) 16 made)
	feature number=129 hex=$(meta simpleperf_version 1.2)
	END
	[ "$(fold --all jit.data)" = "app;made_[j] 5" ]
}

# Files that simpleperf's tests have: only functions that samples hit are in their tables,
# so all of them are hit.
@test "names of recordings from Android are all there" {
	local folder=GrapheneOS+platform_system_extras/simpleperf wrong=0 path names

	need_corpus
	while read -r path names; do
		fold --all --event=all "$CORPUS/$folder/$path" 2>/dev/null >folded
		for name in ${names//,/ }; do
			grep -qF "${name//~/ }" folded || { echo "$path: no $name"; wrong=$((wrong + 1)); }
		done
	done <<-'END'
	testdata/perf_display_bitmaps.data do_mem_abort.cfi_[k],java.lang.ThreadLocal.get_[j],art::MemMap::SetDebugName,java.lang.Integer.valueOf,png_process_data
	testdata/perf_with_callchain_record.data soinfo_do_lookup
	testdata/perf_with_kernel_symbols_available_true.data gic_handle_irq_[k],android_main
	testdata/perf_with_failed_unwinding_debug_info.data android.os.Handler.dispatchMessage_[j]
	testdata/wrong_ip_callchain_perf.data ssl3_connect,dalvik.system.VMDebug.getAllocCount,[dalvik-jit-code-cache]_[j]
	scripts/test/script_testdata/perf_test_vmlinux.data _raw_spin_unlock_irq_[k]
	scripts/test/script_testdata/runtest_two_functions_arm64_perf.data main;Function1,main;Function2
	scripts/test/script_testdata/two_process_perf.data Loop
	END
	[ "$wrong" -eq 0 ]
}

@test "recordings from Android have exactly the samples that their rows say" {
	local path samples wrong=0 read=0

	need_corpus
	while IFS=$'\t' read -r path samples; do
		[[ $path = *platform_system_extras* ]] || continue
		"$flamefold" info --format=json "$CORPUS/$path" >info 2>err
		read=$((read + 1))
		grep -q "^  \"samples\": $samples," info || { echo "$path"; wrong=$((wrong + 1)); }
	done < <(readable_rows)
	[ "$read" -ge 15 ]
	[ "$wrong" -eq 0 ]
}
