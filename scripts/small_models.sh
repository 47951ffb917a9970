#!/bin/sh
# Train, calibrate and measure the critic:
# sh scripts/small_models.sh DATA MPNET HOME WORK
# MPNET is the folder of the checkpoint; HOME has MiniLM and the corpora scifact and pubmedqa; WORK gets the pairs, run
# folders, tables, and in `ship` the files to ship. Stop it at any time and run it again: it goes on where it was. PYTHON
# names an interpreter with torch, scikit-learn, scipy and medground[dense]; THREADS is 2 unless set.
set -eu
data=$1 mpnet=$2 home=$3 runs=$4
python=${PYTHON:-python} threads=${THREADS:-2} here=$(dirname "$0")
export OMP_WAIT_POLICY=PASSIVE
mkdir -p "$runs/ship"

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
critic() { # critic RUN OPTIONS...
    once "$1" "$python" "$here/train_critic.py" "$runs/pairs" "$mpnet" "$runs/$@" --threads "$threads"
}
even() { # even NAME MODEL TRAINING: prepare for int8
    [ -e "$runs/$1.safetensors" ] || "$python" "$here/even_out.py" "$home" "$2" "$3" "$runs/$1.safetensors"
}

[ -e "$runs/pairs/valid.jsonl" ] || "$python" "$here/critic_pairs.py" "$data" "$runs/pairs"
critic critic1 --files general --general 12000 --rate 5e-4
critic critic2 --files medical --start "$runs/critic1" --rate 6e-4
critic critic3 --files general medical --start "$runs/critic2" --rate 5e-4 --seed 1
once critic-mixed "$python" "$here/mix_weights.py" "$runs/critic2/critic.safetensors" \
    "$runs/critic3/critic.safetensors" 0.3 "$runs/critic-mixed.safetensors"
even critic-even "$runs/critic-mixed.safetensors" "$runs/pairs/medical.jsonl"
table critic-calibrated "$python" "$here/calibrate_critic.py" "$data" "$home" "$runs/critic-even.safetensors" \
    "$runs/ship/critic.safetensors" --trained-on "pairs of scripts/critic_pairs.py"
table critic-measured "$python" "$here/../benchmarks/critic.py" "$data" "$home" "$runs/ship" \
    --pairs "$runs/pairs" --judges-from 0.88 --search scifact --write \
    --domain "claims about English abstracts, trials and COVID-19"
