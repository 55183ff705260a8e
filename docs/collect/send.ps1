# Sends results of an assessment tool to the service, and returns what became of them:
#
#   $env:POSTURE_URL = 'https://...'; $env:POSTURE_KEY = 'spk_...'
#   ./send.ps1 -Path ./M365BaselineConformance_2026_05_01
#
# The key needs the scope 'import'. A folder is sent as a ZIP archive. A failure is a warning, so that it does not fail an
# assessment; with -Strict, it is an error.
param([Parameter(Mandatory)][string] $Path, [switch] $Strict)
$ErrorActionPreference = 'Stop'
$headers = @{ Authorization = "Bearer $env:POSTURE_KEY" }
try {
    $file = Get-Item $Path
    if ($file.PSIsContainer) {
        $archive = Join-Path ([IO.Path]::GetTempPath()) "$([guid]::NewGuid()).zip"
        Compress-Archive -Path (Join-Path $file.FullName '*') -DestinationPath $archive
        $file = Get-Item $archive
    }
    # The same file again is the same import.
    $request = $headers + @{ 'Idempotency-Key' = (Get-FileHash $file.FullName -Algorithm SHA256).Hash }
    $body = @{ files = @(@{ name = $file.Name; size = $file.Length }) } | ConvertTo-Json -Depth 3
    $import = Invoke-RestMethod "$env:POSTURE_URL/v1/imports" -Method Post -Headers $request -Body $body -ContentType 'application/json'
    if ($import.files[0].uploadUrl) {
        $null = Invoke-RestMethod $import.files[0].uploadUrl -Method Put -InFile $file.FullName
    }
    for ($tries = 0; $import.status -notin 'COMPLETED', 'FAILED' -and $tries -lt 150; $tries++) {
        Start-Sleep -Seconds 2
        $import = Invoke-RestMethod "$env:POSTURE_URL/v1/imports/$($import.importId)" -Headers $headers
    }
    $import.result
    if ($import.status -ne 'COMPLETED') { throw "The import ended as $($import.status)." }
} catch {
    if ($Strict) { throw }
    Write-Warning "The results were not imported: $_"
} finally {
    if ($archive) { Remove-Item $archive }
}
