#!/usr/bin/env bash
# Sends results of an assessment tool to the service, and prints what became of them:
#
#   POSTURE_URL=https://... POSTURE_KEY=spk_... send.sh FILE-OR-FOLDER
#
# The key needs the scope 'import'. A folder is sent as a ZIP archive. A failure is printed and ends the script with 0, so
# that it does not fail an assessment; with STRICT=1, it ends with 1.
set -euo pipefail

send() {
  local file=$1 size digest response url id status
  if [[ -d $file ]]; then
    archive=$(mktemp -d)
    trap 'rm -rf "$archive"' EXIT
    (cd "$file" && zip -qrX "$archive/results.zip" .)
    file=$archive/results.zip
  fi
  size=$(wc -c < "$file" | tr -d ' ')
  digest=$(sha256sum < "$file" | cut -d ' ' -f 1)
  # The same file again is the same import.
  response=$(call -X POST -H 'Content-Type: application/json' -H "Idempotency-Key: $digest" "$POSTURE_URL/v1/imports" \
    --data "$(jq -n --arg name "$(basename "$file")" --argjson size "$size" '{files: [{name: $name, size: $size}]}')")
  id=$(jq -r .importId <<< "$response")
  url=$(jq -r '.files[0].uploadUrl // empty' <<< "$response")
  [[ -z $url ]] || curl --silent --show-error --fail --retry 3 --upload-file "$file" "$url"
  for _ in {1..150}; do
    response=$(call "$POSTURE_URL/v1/imports/$id")
    status=$(jq -r .status <<< "$response")
    case $status in COMPLETED | FAILED) break ;; esac
    sleep 2
  done
  jq .result <<< "$response"
  [[ $status == COMPLETED ]]
}

# Sends a request with the key, and again as long as the service is busy.
call() {
  curl --silent --show-error --fail-with-body --retry 5 -H "Authorization: Bearer $POSTURE_KEY" "$@"
}

# In a subshell of its own, a failed command ends it.
set +e
(set -e; : "${POSTURE_URL:?set it to the address of the API}" "${POSTURE_KEY:?set it to a key that imports}"
  send "${1:?name a file or a folder}")
outcome=$?
[[ $outcome == 0 ]] || echo "The results were not imported." >&2
[[ ${STRICT:-} != 1 ]] || exit "$outcome"
exit 0
