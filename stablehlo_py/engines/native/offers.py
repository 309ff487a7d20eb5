"""Offers: loop nests of loops that threads compute together.

Loops are run by one thread, the owner, while the others wait for its task. It offers them the pieces of a
large loop nest: it takes those in front, they take those behind, so that a thread has the same elements in
cache as in the iteration before. All of a ticket changes at once, and the owner waits for what is taken: a
thread that has a piece knows that the offer stays as it is.

Where another process keeps a thread that has a piece from its processor, the owner waits for it longer than
it would have taken for the piece. What sharing saves is a credit for such waits; when it is used up, nests
run on the owner's thread until that is made up for.
"""

from __future__ import annotations

import time

# Places in what threads share (`runtime.py`); the last three are in cache lines of their own.
CREDIT = 6  # the address of the credit for sharing loop nests of loops
OFFER = 8  # a loop nest of a loop that all may take pieces of: its function, arguments and extent
TICKET = 16  # of the offer: how many pieces were taken in front, how many behind, and of how many
DONE = 24  # of the offer: how many pieces are done

OTHERS = 1 << 16  # what threads but the owner add to a ticket; the owner adds 1
SPINS = 1000  # tests of a waiting thread before it sleeps: some 20 microseconds
_SPINS_OF_OWNER = 10 * SPINS  # the same of the owner, for pieces that others compute
MOST_CREDIT = 1_000_000  # nanoseconds, the most that sharing may lose before loop nests run on one thread
_CLOCK = getattr(time, "CLOCK_MONOTONIC", 0)
_DEBT = -64 * MOST_CREDIT  # the most that is remembered
_PAYBACK = 16  # nanoseconds of running alone that make up for one

OFFERS = f"""
declare i32 @clock_gettime(i32, ptr)
define internal i64 @now() nounwind {{
  %time = alloca i64, i64 2
  %got = call i32 @clock_gettime(i32 {_CLOCK}, ptr %time)
  %seconds = load i64, ptr %time
  %rest_at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest_at
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}
define internal void @earn(ptr %sync, i64 %gain) nounwind {{
  %at = getelementptr ptr, ptr %sync, i64 {CREDIT}
  %place = load ptr, ptr %at
  %before = load i64, ptr %place
  %sum = add i64 %before, %gain
  %most = call i64 @llvm.smin.i64(i64 %sum, i64 {MOST_CREDIT})
  %credit = call i64 @llvm.smax.i64(i64 %most, i64 {_DEBT})
  store i64 %credit, ptr %place
  ret void
}}
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define internal i64 @work(ptr %sync, i64 %unit) nounwind {{
entry:
  %ticket = getelementptr i64, ptr %sync, i64 {TICKET}
  br label %look
look:
  %count = phi i64 [ 0, %entry ], [ %one_more, %finish ]
  %seen = load atomic i64, ptr %ticket monotonic, align 8
  %left = call i64 @left(i64 %seen)
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %take, label %out
take:
  %taken = atomicrmw add ptr %ticket, i64 %unit acquire
  %rest = call i64 @left(i64 %taken)
  %mine = icmp sgt i64 %rest, 0
  br i1 %mine, label %run, label %out
run:
  %front = and i64 %taken, 65535
  %pieces = lshr i64 %taken, 32
  %last = add i64 %front, %rest
  %behind = sub i64 %last, 1
  %is_owner = icmp eq i64 %unit, 1
  %piece = select i1 %is_owner, i64 %front, i64 %behind
  %offer = getelementptr i64, ptr %sync, i64 {OFFER}
  %function = load ptr, ptr %offer
  %given_at = getelementptr i64, ptr %offer, i64 1
  %given = load ptr, ptr %given_at
  %extent_at = getelementptr i64, ptr %offer, i64 2
  %extent = load i64, ptr %extent_at
  %low_all = mul i64 %piece, %extent
  %low = udiv i64 %low_all, %pieces
  %high_all = add i64 %low_all, %extent
  %high = udiv i64 %high_all, %pieces
  %stopped = load atomic i64, ptr %sync monotonic, align 8
  %over = icmp ne i64 %stopped, 0
  br i1 %over, label %finish, label %compute
compute:
  call void %function(i64 %low, i64 %high, ptr %given)
  br label %finish
finish:
  %done = getelementptr i64, ptr %sync, i64 {DONE}
  %before = atomicrmw add ptr %done, i64 1 release
  %one_more = add i64 %count, 1
  br label %look
out:
  ret i64 %count
}}
define internal i64 @left(i64 %ticket) nounwind alwaysinline {{
  %front = and i64 %ticket, 65535
  %high = lshr i64 %ticket, 16
  %back = and i64 %high, 65535
  %pieces = lshr i64 %ticket, 32
  %without = sub i64 %pieces, %front
  %left = sub i64 %without, %back
  ret i64 %left
}}
define void @offer(ptr %function, ptr %given, i64 %extent, i64 %wanted, ptr %sync, i64 %threads) nounwind {{
entry:
  %credit_at = getelementptr ptr, ptr %sync, i64 {CREDIT}
  %credit_place = load ptr, ptr %credit_at
  %credit = load i64, ptr %credit_place
  %pays = icmp sgt i64 %credit, 0
  %alone = icmp eq i64 %threads, 1
  %simple = and i1 %pays, %alone
  br i1 %simple, label %whole, label %look
whole:
  call void %function(i64 0, i64 %extent, ptr %given)
  ret void
look:
  %start = call i64 @now()
  br i1 %pays, label %share, label %make_up
make_up:
  call void %function(i64 0, i64 %extent, ptr %given)
  %stop = call i64 @now()
  %time = sub i64 %stop, %start
  %part = sdiv i64 %time, {_PAYBACK}
  call void @earn(ptr %sync, i64 %part)
  ret void
share:
  %pieces = call i64 @cut(i64 %wanted, i64 %extent, i64 %threads)
  %offer = getelementptr i64, ptr %sync, i64 {OFFER}
  store ptr %function, ptr %offer
  %given_at = getelementptr i64, ptr %offer, i64 1
  store ptr %given, ptr %given_at
  %extent_at = getelementptr i64, ptr %offer, i64 2
  store i64 %extent, ptr %extent_at
  %done = getelementptr i64, ptr %sync, i64 {DONE}
  store atomic i64 0, ptr %done monotonic, align 8
  %ticket_at = getelementptr i64, ptr %sync, i64 {TICKET}
  %ticket = shl i64 %pieces, 32
  store atomic i64 %ticket, ptr %ticket_at release, align 8
  %count = call i64 @work(ptr %sync, i64 1)
  %worked = call i64 @now()
  call void @wait(ptr %done, i64 %pieces, i64 {_SPINS_OF_OWNER}, ptr %sync)
  %end = call i64 @now()
  %own = sub i64 %worked, %start
  %all = mul i64 %own, %pieces
  %divisor = call i64 @llvm.smax.i64(i64 %count, i64 1)
  %without = sdiv i64 %all, %divisor
  %took = sub i64 %end, %start
  %gain = sub i64 %without, %took
  call void @earn(ptr %sync, i64 %gain)
  ret void
}}
define internal i64 @cut(i64 %wanted, i64 %extent, i64 %threads) nounwind alwaysinline {{
  %share = udiv i64 %wanted, %threads
  %rounded = mul i64 %share, %threads
  %few = icmp slt i64 %rounded, %threads
  %enough = select i1 %few, i64 %threads, i64 %rounded
  %fits = icmp slt i64 %enough, %extent
  %cut = select i1 %fits, i64 %enough, i64 %extent
  ret i64 %cut
}}
"""
