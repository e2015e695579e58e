#!/usr/bin/env bats
# What modes say of requests of disks, on recordings whose answers are known.
bats_require_minimum_version 1.5.0

load recordings
load modes

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# requests, of disks: "TIME EVENT DISK SECTOR SECTORS [RWBS [PID]]" a line
requests()
{
	local time event disk sector sectors rwbs pid

	while read -r time event disk sector sectors rwbs pid; do
		[ "$time" = '#' ] || at "$time" "block:block_$event" \
			"dev:$disk,sector:$sector,nr_sector:$sectors,rwbs:${rwbs:-W}" "${pid:+pid=$pid}"
	done
}

# request_edges EVENT...: of disks
request_edges()
{
	edges "${@/%//dev:4,sector:8,nr_sector:4,rwbs:10}"
	echo "comm pid=8 name=other time=1"
}

@test "a request of a disk begins anew where another one has ended elsewhere" {
	{
		request_edges block:block_io_start block:block_io_done
		requests <<-'END'
			# What joined it in front has moved it, and was not recorded: it ends at sector 0.
			100 io_start 1 8 8
			150 io_done 1 0 0
			9000 io_start 1 8 8
			9010 io_done 1 8 0
			# Of another disk.
			9100 io_start 2 8 8
			9120 io_done 2 8 0
		END
	} >x.pd
	"$build" -o x.data x.pd
	mode blockio --stats
	says "app;11 30"
	grep -qE '^  paired *2$' err
}

@test "flushes of a disk count, of which several are under way at once, and what it is asked for is none of them" {
	{
		request_edges block:block_io_start block:block_io_done block:block_rq_issue block:block_rq_complete
		requests <<-'END'
			100 io_start 1 0 0 FWS
			# One at once by another program, and one of another disk.
			110 io_start 1 0 0 FWS 8
			120 io_start 2 0 0 FWS
			130 rq_issue 1 0 0 FF 8
			200 rq_complete 1 -1 0 FF
			200 io_done 1 0 0 FF
			210 rq_complete 1 0 0 WS
			210 io_done 1 0 0 WS
			220 rq_complete 1 0 0 WS
			220 io_done 1 0 0 WS
			# One that brings sectors is a request of these.
			300 io_start 1 64 8 FWS 8
			310 rq_issue 1 64 8 FWS 8
			330 rq_complete 1 64 8 WS
			340 rq_complete 1 72 0 WS
			340 io_done 1 64 0 WS
		END
	} >x.pd
	"$build" -o x.data x.pd
	mode blockio --stats
	says "app;11 120" "other;11 140"
	grep -qE '^  paired *3$' err
	grep -qE '^  ends without a start *0$' err
	grep -qE '^  starts without an end *1$' err
	mode blockdevice --stats
	says "other;11 90"
	grep -qE '^  ends without a start *0$' err
	mode blockqueue
	says "other;11 10"
	# Before 6.5 they are seen where they are made: of a disk's part, too.
	sed '/io_done/d; /dev:2/d; s/io_start/getrq/; s/dev:1,sector:0,nr_sector:0,rwbs:FWS/dev:3,sector:0,nr_sector:0,rwbs:FWS/' x.pd >y.pd
	"$build" -o x.data y.pd
	mode blockio --stats
	says "app;11 120" "other;11 120"
	grep -qE '^  ends without a start *0$' err
	# One whose end is missing: the next one is what it is.
	requests >>y.pd <<-'END'
		400 getrq 1 0 0 FWS
		9000 getrq 1 0 0 FWS 8
		9010 rq_complete 1 0 0 WS
	END
	"$build" -o x.data y.pd
	mode blockio
	says "app;11 120" "other;11 130"
}

@test "a request goes on where what joins it in front begins, and with what is left of it" {
	{
		request_edges block:block_io_start block:block_io_done block:block_bio_frontmerge
		requests <<-'END'
			100 io_start 1 64 8
			# Of a part of the disk, 16 to 31 are those of disk 16.
			110 bio_frontmerge 1 56 8 W 8
			115 io_start 1 64 8 W 8
			125 io_start 16 64 8
			130 bio_frontmerge 17 48 16 W 8
			# Each ends where it is now.
			140 io_done 1 56 0
			150 io_done 1 64 0
			160 io_done 16 48 0
		END
	} >x.pd
	"$build" -o x.data x.pd
	mode blockio --stats
	says "app;11 75" "other;11 35"
	grep -qE '^  paired *3$' err
	{
		request_edges block:block_rq_insert block:block_rq_issue block:block_rq_complete
		requests <<-'END'
			# It has grown since it was queued.
			100 rq_insert 1 0 8
			120 rq_issue 1 0 32
			150 rq_complete 1 0 24
			160 rq_complete 1 24 8
			# Two of one sector at once.
			200 rq_insert 1 0 8
			210 rq_insert 1 0 8 W 8
			220 rq_issue 1 0 8
			225 rq_issue 1 0 8
			230 rq_complete 1 0 8
			240 rq_complete 1 0 8
		END
	} >x.pd
	"$build" -o x.data x.pd
	mode blockio
	says "app;11 100" "other;11 20"
	mode blockdevice
	says "app;11 65"
	mode iocount
	says "app;11 2" "other;11 1"
}

@test "before there was block_io_start a request begins where it is queued, or issued without a queue" {
	{
		request_edges block:block_rq_insert block:block_rq_issue block:block_rq_complete
		requests <<-'END'
			100 rq_insert 1 8 8
			120 rq_issue 1 8 8
			# It is issued again.
			130 rq_issue 1 8 8
			150 rq_complete 1 8 8
			# A disk without a scheduler.
			200 rq_issue 2 8 8
			207 rq_complete 2 8 8
			# One that ended unseen.
			300 rq_insert 1 8 8
			8000 rq_insert 1 8 8
			8003 rq_complete 1 8 8
		END
	} >x.pd
	"$build" -o x.data x.pd
	mode blockio
	says "app;11 60"
	mode iocount
	says "app;11 3"
	# Who has not recorded how they end has them counted as they come.
	grep -v rq_complete x.pd | "$build" -o x.data -
	mode iocount
	says "app;11 3"
}
