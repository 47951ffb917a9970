#!/bin/sh
# Train, calibrate and measure both small models: sh scripts/small_models.sh DATA MPNET MINILM HOME WORK
# MPNET and MINILM are the folders of the two checkpoints; HOME keeps corpora and has MiniLM in `models`; WORK gets the
# pairs, run folders, files to ship and results. Stop it at any time and run it again: it goes on where it was.
# PYTHON names an interpreter with torch, safetensors, scikit-learn and Medground; THREADS is 2 unless set.
set -eu
data=$1 mpnet=$2 minilm=$3 home=$4 work=$5
python=${PYTHON:-python} threads=${THREADS:-2} here=$(dirname "$0") runs=$5
export OMP_WAIT_POLICY=PASSIVE
mkdir -p "$work/ship"

once() { # once NAME COMMAND...: run a command unless it has finished before
    name=$1
    shift
    [ -e "$runs/$name.done" ] || { "$@" && touch "$runs/$name.done"; }
}
table() { # table NAME COMMAND...: the same, and keep what it prints
    name=$1
    shift
    [ -e "$runs/$name.txt" ] || { "$@" > "$runs/$name.part" && mv "$runs/$name.part" "$runs/$name.txt"; }
}

[ -e "$runs/pairs/valid.jsonl" ] || "$python" "$here/critic_pairs.py" "$data" "$runs/pairs"
[ -e "$runs/rpairs/others.jsonl" ] || "$python" "$here/ranker_pairs.py" "$data" "$home" "$runs/rpairs" --vectors

critic() { once "$1" "$python" "$here/train_critic.py" "$runs/pairs" "$mpnet" "$runs/$@" --threads "$threads"; }
critic critic1 --files general --general 12000 --rate 5e-4
critic critic2 --files medical --start "$runs/critic1" --rate 6e-4
table critic-calibrated "$python" "$here/calibrate_critic.py" "$runs/pairs" "$runs/critic2/critic.safetensors" "$mpnet" \
    "$work/ship/critic.safetensors" --threads "$threads" --trained-on "general and medical pairs of critic_pairs.py"
table critic-measured "$python" "$here/../benchmarks/critic.py" "$data" "$work/ship/critic.safetensors" "$mpnet" \
    "$runs/pairs" --threads "$threads"

ranker() { once "$1" "$python" "$here/train_ranker.py" "$runs/rpairs" "$minilm" "$runs/$@" --threads "$threads"; }
ranker rankerA --most 1400 --without 0 1
table ranker-bioasq "$python" "$here/../benchmarks/ranker.py" bioasq "$data" "$home" "$minilm" \
    --model "0=$runs/rankerA/ranker.safetensors" --model "1=$runs/rankerA/ranker.safetensors" \
    --limit 1497 --threads "$threads"
ranker rankerB --files bioasq --without 2 3 4 --start "$runs/rankerA" --rate 3e-4
cp "$runs/rankerB/ranker.safetensors" "$work/ship/ranker.safetensors"
table ranker-scifact "$python" "$here/../benchmarks/ranker.py" scifact "$data" "$home" "$minilm" \
    --model "all=$work/ship/ranker.safetensors" --threads "$threads"
