#!/usr/bin/env bash
# A small real model through all five recipes: rows of 20 questions of PubMedQA and of MedQA, a slice of time each in
# turn. Stop it at any time; the same command resumes. It needs the extra `local` and a home with the model:
#
#   medground models fetch qwen2.5-coder-1.5b
#   scripts/real_model.sh DATA OUT [SECONDS [OPTION...]]
#
# DATA has `pubmedqa`, `mirage` and `medquad` as in docs/evaluation.md; OUT holds the runs; a row gets SECONDS in turn.
# OPTION names another model, such as llama.cpp's own server, which answers several questions at once:
#
#   scripts/real_model.sh DATA OUT 300 --model openai:qwen --set model.base_url=http://127.0.0.1:8080/v1 --concurrency 4
set -u
data=$1 out=$2 slice=${3:-300}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- --model local
model=("$@")
mkdir -p "$out"

built() { medground corpus list 2>/dev/null | grep -q "^$1\b"; }
built pubmedqa || medground corpus build pubmedqa "$data/pubmedqa/pqa_l.jsonl.gz" -q
built medquad || medground corpus build medquad "$data/medquad/qa.jsonl.gz" -q

# What two cores can bear: three short texts, two rounds, and no model that verifies.
common=("${model[@]}" --limit 20 --seed 0 -q --set model.timeout=3600 --set read.tokens=600 --set recipe.sentences=2
  --set recipe.definite=true --set retrieval.keep=3 --set retrieval.reranker=none --set recipe.rounds=2)
unverified=(--set model.operators.check=keyless --set model.operators.label=keyless --set model.operators.assess=keyless)
one_round=(--set recipe.batch=3 --set pubmed_reasoner.signals=3 --set pubmed_reasoner.signal_length=600 --set pubmed_reasoner.one_call=true)

row() { # row NAME SET FOLDER CORPUS OPTION...
  local name=$1 set=$2 folder=$3 corpus=$4
  shift 4
  timeout -s INT "$slice" medground eval run "$set" --data "$data/$folder" -c "$corpus" --out "$out/$set-$name.jsonl" \
    "${common[@]}" "$@" || true
}

for turn in $(seq 1 100); do
  for where in "pubmedqa pubmedqa pubmedqa" "mirage-medqa mirage medquad"; do
    read -r set folder corpus <<<"$where"
    row model-only $set $folder $corpus --recipe model-only --set verify.gate=false "${unverified[@]}"
    row rag $set $folder $corpus --recipe rag --preset pubmed-reasoner-paper "${one_round[@]}" "${unverified[@]}"
    row pubmed-reasoner $set $folder $corpus --recipe pubmed-reasoner --preset pubmed-reasoner-paper "${one_round[@]}" "${unverified[@]}"
    row reason-and-verify $set $folder $corpus --recipe reason-and-verify --preset reason-and-verify-paper "${unverified[@]}" \
      --set reason_and_verify.rerank=false --set reason_and_verify.passages=3 --set reason_and_verify.assess=false
    row omni-rag $set $folder $corpus --recipe omni-rag --preset omni-rag-prompting "${unverified[@]}" \
      --set omni_rag.depth=3 --set omni_rag.kept=1 --set omni_rag.passages=3
    row self-medrag $set $folder $corpus --recipe self-medrag --preset self-medrag-paper --set self_medrag.retrieval=bm25 \
      --set retrieval.dense=false --set verify.critic=check --set self_medrag.passages=3 --set self_medrag.rounds=2
    row biomedsearch $set $folder $corpus --recipe biomedsearch --preset biomedsearch-paper "${unverified[@]}" \
      --set retrieval.sources= --set biomedsearch.subquestions=2 --set biomedsearch.kept=2 --set biomedsearch.keywords=3
  done
done
