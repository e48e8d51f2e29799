#!/usr/bin/env bash
# A season on Slurm: one array of jobs per day, one job per tile. Run it on a login node, in a folder that every node sees:
#   slurm.sh park 2x2 --set wear=0.5
# A job that a node loses is requeued; what is done is found done, so the script can be run again after any failure.
set -euo pipefail
unit="${UNIT:-trample unit}" # or "python -m trample.cluster"
scene="${1:?scene}" tiles="${2:?tiles, as 2x2}"
shift 2
plan="$PWD/PLAN.json"
[ -e "$plan" ] || $unit plan "$scene" --tiles "$tiles" --out "$plan" "$@"
read -r units days < <(python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); print(p["units"], p["days"])' "$plan")
per_day=$((units / days))
after=""
for ((day = 0; day < days; day++)); do
    run="$unit run --plan '$plan' --index \$(($day * $per_day + SLURM_ARRAY_TASK_ID))"
    after=$(sbatch --parsable --requeue --cpus-per-task=1 --array="0-$((per_day - 1))" ${after:+--dependency="afterok:$after"} --wrap "$run")
done
sbatch --dependency="afterok:$after" --wrap "$unit join '$plan'"
