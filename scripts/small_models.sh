#!/bin/sh
# Train, calibrate and measure both small models: sh scripts/small_models.sh DATA MPNET MINILM HOME WORK [critic|ranker]
# MPNET and MINILM are the folders of the two checkpoints; HOME keeps corpora and has MiniLM in `models`; WORK gets the
# pairs, run folders, tables, and in `ship` the files to ship. Stop it at any time and run it again: it goes on where it
# was. PYTHON names an interpreter with torch, safetensors, scikit-learn and Medground; THREADS is 2 unless set.
set -eu
data=$1 mpnet=$2 minilm=$3 home=$4 runs=$5 part=${6:-both}
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
ranker() { # ranker RUN OPTIONS...
    once "$1" "$python" "$here/train_ranker.py" "$runs/rpairs" "$minilm" "$runs/$@" --threads "$threads"
}

if [ "$part" != ranker ]; then
    [ -e "$runs/pairs/valid.jsonl" ] || "$python" "$here/critic_pairs.py" "$data" "$runs/pairs"
    critic critic1 --files general --general 12000 --rate 5e-4
    critic critic2 --files medical --start "$runs/critic1" --rate 6e-4
    table critic-calibrated "$python" "$here/calibrate_critic.py" "$runs/pairs" "$runs/critic2/critic.safetensors" \
        "$mpnet" "$runs/ship/critic.safetensors" --threads "$threads" --trained-on "pairs of scripts/critic_pairs.py"
    table critic-measured "$python" "$here/../benchmarks/critic.py" "$data" "$runs/ship/critic.safetensors" "$mpnet" \
        "$runs/pairs" --threads "$threads"
fi
if [ "$part" != critic ]; then
    [ -e "$runs/rpairs/others.jsonl" ] || "$python" "$here/ranker_pairs.py" "$data" "$home" "$runs/rpairs" --vectors
    ranker rankerA --most 1400 --without 0 1
    table ranker-bioasq "$python" "$here/../benchmarks/ranker.py" bioasq "$data" "$home" "$minilm" --limit 1497 \
        --model "0=$runs/rankerA/ranker.safetensors" --model "1=$runs/rankerA/ranker.safetensors" --threads "$threads"
    ranker rankerB --files bioasq --without 2 3 4 --start "$runs/rankerA" --rate 3e-4
    cp "$runs/rankerB/ranker.safetensors" "$runs/ship/ranker.safetensors"
    table ranker-scifact "$python" "$here/../benchmarks/ranker.py" scifact "$data" "$home" "$minilm" \
        --model "all=$runs/ship/ranker.safetensors" --threads "$threads"
fi
