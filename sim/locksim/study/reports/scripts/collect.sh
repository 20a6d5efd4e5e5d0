#!/bin/sh
# Collects what this kernel knows about its locks, as one text for `locklab report`.
#
#   sh collect.sh [-t SECONDS] [-y] [-n] > locks.txt
#
#   -t SECONDS  length of each measurement (5)
#   -y          do not ask before what costs time on the machine
#   -n          with names of processes and cgroups (without it there are none)
#
# Run it as root, under the load that matters. It needs no package beside perf, writes no host name,
# and changes nothing but the switch and the counters of lock_stat, if you agree. What it could not
# get stands in the text, too.

set -u
LC_ALL=C
export LC_ALL

seconds=5
names=no
sure=no

usage() {
    sed -n '4,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

while getopts t:yn option; do
    case $option in
        t) seconds=$OPTARG ;;
        y) sure=yes ;;
        n) names=yes ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage
case $seconds in
    '' | *[!0-9]* | 0*) echo "collect.sh: -t needs whole seconds, 1 or more" >&2; usage ;;
esac

switch=/proc/sys/kernel/lock_stat
before=
folder=$(mktemp -d "${TMPDIR:-/tmp}/collect.XXXXXX") || exit 1
clean() {
    [ -z "$before" ] || echo "$before" > "$switch"
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 130' INT TERM

say() { printf '## %s\n' "$*"; }
missing() { say "not collected: $*"; }
view() { printf '\n'; say "view: $*"; }

# Ask before what costs. Without a terminal the answer is no.
agreed() {
    [ "$sure" = yes ] && return 0
    if ! (: < /dev/tty) 2> /dev/null; then
        missing "$1 (no terminal to ask; -y agrees)"
        return 1
    fi
    printf '%s: %s. Go on? [y/N] ' "$1" "$2" > /dev/tty
    read -r answer < /dev/tty || answer=n
    case $answer in
        [yY]*) return 0 ;;
    esac
    missing "$1 (declined)"
    return 1
}

# Take the names out of rows by thread: count, three times with unit, pid, name.
without_names() {
    if [ "$names" = yes ]; then
        cat
    else
        awk 'NF >= 9 && $1 ~ /^[0-9]+$/ && $3 ~ /^(ns|us|ms|s|m|h)$/ && $8 ~ /^-?[0-9]+$/ {
            printf " %s  %s %s  %s %s  %s %s  %s   task\n", $1, $2, $3, $4, $5, $6, $7, $8; next
        } { print }'
    fi
}

value() { sed -n "s/^$1: *//p" "$folder/lscpu" | head -n 1; }

machine() {
    say "locklab collect 1"
    say "kernel: $(uname -s -r -m)"
    say "cpus: $(getconf _NPROCESSORS_ONLN)"
    say "window: ${seconds} s"
    if command -v lscpu > /dev/null 2>&1 && lscpu > "$folder/lscpu" 2> /dev/null; then
        for key in 'Model name' 'Thread(s) per core' 'Core(s) per socket' 'Socket(s)' \
            'NUMA node(s)' 'Hypervisor vendor'; do
            found=$(value "$key")
            [ -z "$found" ] || say "$key: $found"
        done
    else
        missing "lscpu"
    fi
    for node in /sys/devices/system/node/node[0-9]*; do
        [ -r "$node/distance" ] && say "distance ${node##*/}: $(cat "$node/distance")"
    done
    [ ! -r /proc/loadavg ] || say "load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

# Print what perf printed, or why there is nothing.
perf_view() {
    title=$1
    shift
    if perf lock contention "$@" > "$folder/out" 2> "$folder/err" &&
        cat "$folder/err" "$folder/out" | grep 'contended .*wait' > /dev/null; then
        view "$title"
        cat "$folder/err" "$folder/out" | without_names
    else
        missing "$title ($(sed -n '/[^ ]/{s/^ *//;p;q;}' "$folder/err"))"
    fi
}

# BPF counts inside the kernel; without it events are written to a file first.
perf_views() {
    if ! command -v perf > /dev/null 2>&1; then
        missing "perf lock contention (perf is not installed)"
        return
    fi
    if perf lock contention -a -b true > /dev/null 2> "$folder/err"; then
        agreed "perf lock contention" "four measurements of $seconds s, small cost at each wait" ||
            return
        perf_view "by place" -a -b -E 200 sleep "$seconds"
        perf_view "by lock" -a -b -l -E 200 sleep "$seconds"
        perf_view "by thread" -a -b -t -E 50 sleep "$seconds"
        perf_view "by owner" -a -b -t -o -E 50 sleep "$seconds"
        if [ "$names" = yes ]; then
            perf_view "by cgroup" -a -b --lock-cgroup -E 50 sleep "$seconds"
        fi
        return
    fi
    say "perf without BPF: $(sed -n '/[^ ]/{s/^ *//;p;q;}' "$folder/err")"
    agreed "perf lock record" "$seconds s; every wait is written to a file" || return
    if ! perf lock record -a -o "$folder/data" sleep "$seconds" > /dev/null 2> "$folder/err"; then
        missing "perf lock record ($(sed -n '/[^ ]/{s/^ *//;p;q;}' "$folder/err"))"
        return
    fi
    perf_view "by place" -i "$folder/data" -E 200
    perf_view "by lock" -i "$folder/data" -l -E 200
    perf_view "by thread" -i "$folder/data" -t -E 50
    missing "by owner (needs perf with BPF)"
}

lock_stat() {
    if [ ! -e /proc/lock_stat ]; then
        missing "lock_stat (the kernel was built without CONFIG_LOCK_STAT)"
    elif [ ! -w /proc/lock_stat ] || [ ! -w "$switch" ]; then
        missing "lock_stat (needs root)"
    elif agreed "lock_stat" "counters are cleared, then counted for $seconds s"; then
        before=$(cat "$switch")
        echo 0 > /proc/lock_stat
        echo 1 > "$switch"
        sleep "$seconds"
        cat /proc/lock_stat > "$folder/lock_stat"
        echo "$before" > "$switch"
        before=
        view "lock_stat"
        cat "$folder/lock_stat"
    fi
}

machine
perf_views
lock_stat
say "end"
