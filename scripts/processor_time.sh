# shellcheck shell=bash
# Lets time pass that is without progress: none while threads only wait for processors that other programs have. To be
# sourced. A thread that waits for a message does not wait for a processor, so a run that stands still is seen on a full
# machine, too.

stood=0 looked_at=0 ran=0 queued=0  # ms: without progress; of all threads: on a processor, and in wait for one
had=0 wanted=0                      # ms of processors, altogether

# From NOW on, of other processes.
begin_time() { stood=0 looked_at=$1 ran=0 queued=0; }  # NOW

pass_time() { # NOW PROCESS...
  local passed=$(($1 - looked_at)) ran_before=$ran queued_before=$queued process waited
  looked_at=$1
  shift
  read -r ran queued < <(for process in "$@"; do cat "/proc/$process/task"/*/schedstat 2>/dev/null || true; done |
    awk '{ ran += $1; queued += $2 } END { printf "%d %d\n", ran / 1e6, queued / 1e6 }')
  local runs=$((ran - ran_before)) waits=$((queued - queued_before))
  # Threads that have ended since are not counted any more.
  if ((runs < 0 || waits < 0)); then runs=0 waits=0; fi
  had=$((had + runs)) wanted=$((wanted + runs + waits))
  waited=$((waits < passed ? waits : passed))
  if ((waits > 0)); then waited=$((waited * waits / (runs + waits))); fi
  stood=$((stood + passed - waited))
}
