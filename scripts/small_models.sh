#!/bin/sh
# Train, calibrate and measure the small models:
# sh scripts/small_models.sh DATA MPNET MINILM HOME WORK [both|critic|ranker|student]
# MPNET and MINILM are the folders of the two checkpoints; HOME has MiniLM and the corpora scifact and pubmedqa, and for
# the student the fetched critic, which teaches it; WORK gets the pairs, run folders, tables, and in `ship` the files to
# ship. Stop it at any time and run it again: it goes on where it was. PYTHON names an interpreter with torch,
# scikit-learn, scipy and medground[dense]; THREADS is 2 unless set, TAUGHT (pairs that the critic labels) 40000.
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
student() { # student RUN OPTIONS...
    once "$1" "$python" "$here/train_critic.py" "$runs/pairs" "$minilm" "$runs/$@" --rank 64 --first 0 --rate 3e-4 \
        --threads "$threads"
}

even() { # even NAME MODEL TRAINING: prepare for int8
    [ -e "$runs/$1.safetensors" ] || "$python" "$here/even_out.py" "$home" "$2" "$3" "$runs/$1.safetensors"
}

if [ "$part" != ranker ]; then
    [ -e "$runs/pairs/valid.jsonl" ] || "$python" "$here/critic_pairs.py" "$data" "$runs/pairs"
fi
if [ "$part" = both ] || [ "$part" = critic ]; then
    critic critic1 --files general --general 12000 --rate 5e-4
    critic critic2 --files medical --start "$runs/critic1" --rate 6e-4
    critic critic3 --files general medical --start "$runs/critic2" --rate 5e-4 --seed 1
    once critic-mixed "$python" "$here/mix_weights.py" "$runs/critic2/critic.safetensors" \
        "$runs/critic3/critic.safetensors" 0.3 "$runs/critic-mixed.safetensors"
    even critic-even "$runs/critic-mixed.safetensors" "$runs/pairs/medical.jsonl"
    table critic-calibrated "$python" "$here/calibrate_critic.py" "$data" "$home" "$runs/critic-even.safetensors" \
        "$runs/ship/critic.safetensors" --trained-on "pairs of scripts/critic_pairs.py"
    table critic-measured "$python" "$here/../benchmarks/critic.py" "$data" "$home" "$runs/ship" \
        --pairs "$runs/pairs" --judges-from 0.88 --search scifact --questions pubmedqa bioasq --write \
        --domain "claims about English abstracts, trials and COVID-19"
fi
if [ "$part" = both ] || [ "$part" = ranker ]; then
    [ -e "$runs/rpairs/others.jsonl" ] || "$python" "$here/ranker_pairs.py" "$data" "$home" "$runs/rpairs" --vectors
    ranker rankerA --epochs 2 --without 0 1
    even ship/ranker "$runs/rankerA/ranker.safetensors" "$runs/rpairs/bioasq.jsonl"
    table ranker-measured "$python" "$here/../benchmarks/ranker.py" "$data" "$home" "$runs/ship" --held 0 1 --write
fi
if [ "$part" = student ]; then
    once unlabelled "$python" "$here/student_pairs.py" "$data" "$runs/unlabelled.jsonl"
    once taught "$python" "$here/teach.py" "$home" "$runs/unlabelled.jsonl" "$runs/pairs/taught" --most "${TAUGHT:-40000}"
    student student1 --files general --general 12000
    student student2 --files medical --start "$runs/student1"
    student student3 --files taught --start "$runs/student2"
    even student-even "$runs/student3/critic.safetensors" "$runs/pairs/medical.jsonl"
    table student-calibrated "$python" "$here/calibrate_critic.py" "$data" "$home" "$runs/student-even.safetensors" \
        "$runs/ship/critic-small.safetensors" --trained-on "pairs of scripts/critic_pairs.py and scripts/student_pairs.py"
    table student-measured "$python" "$here/../benchmarks/critic.py" "$data" "$home" "$runs/ship" --name critic-small \
        --pairs "$runs/pairs" --search scifact --write --domain "claims about English abstracts, trials and COVID-19"
fi
