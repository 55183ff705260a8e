<#
.SYNOPSIS
Saves the exports of one Microsoft 365 tenant that `posture report import` reads beside an assessment's result.

.DESCRIPTION
Reads only. Signs in with the scopes listed below, sends GET requests to Microsoft Graph, and writes every response, as it
came, into one folder: a file a page. Copy the assessment's result into the same folder and import the folder.

Needs PowerShell 7 and the module Microsoft.Graph.Authentication:

    Install-Module Microsoft.Graph.Authentication -Scope CurrentUser

.PARAMETER TenantId
Identifier (GUID) of the tenant.

.PARAMETER Folder
Folder for the files. It is created if it does not exist.

.PARAMETER LookbackDays
Days of activity to save, 1 to 30. Microsoft Entra ID keeps its logs for 30 days, or for 7 without a P1 licence.

.EXAMPLE
./collect.ps1 -TenantId 3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411 -Folder harbour-dental
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)][guid] $TenantId,
    [Parameter(Mandatory)][string] $Folder,
    [ValidateRange(1, 30)][int] $LookbackDays = 30
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# docs/COLLECT.md says what each scope is for.
$scopes = @(
    'AuditLog.Read.All'
    'Directory.Read.All'
    'GroupMember.Read.All'
    'Organization.Read.All'
    'Policy.Read.All'
    'Reports.Read.All'
    'RoleManagement.Read.Directory'
    'User.Read.All'
    'UserAuthenticationMethod.Read.All'
)

$since = (Get-Date).ToUniversalTime().AddDays(-$LookbackDays).ToString('yyyy-MM-ddTHH:mm:ssZ')
$users = 'id,userPrincipalName,displayName,mail,accountEnabled,assignedLicenses,lastPasswordChangeDateTime'
$topRole = '62e90394-69f5-4237-9190-012177145e10'
$signIns = "beta/auditLogs/signIns?`$filter=createdDateTime ge $since and (signInEventTypes/any(t: t eq 'interactiveUser') or signInEventTypes/any(t: t eq 'nonInteractiveUser'))&`$top=1000"

# Name of the files, and the request whose responses they contain.
$lists = [ordered]@{
    'users'                    = "v1.0/users?`$select=$users&`$count=true&`$top=999"
    'subscribedSkus'           = 'v1.0/subscribedSkus'
    'globalAdministrators'     = "v1.0/directoryRoles(roleTemplateId='$topRole')/members"
    'roleAssignments'          = "v1.0/roleManagement/directory/roleAssignmentScheduleInstances?`$filter=roleDefinitionId eq '$topRole'&`$expand=principal"
    'roleEligibilities'        = "v1.0/roleManagement/directory/roleEligibilityScheduleInstances?`$filter=roleDefinitionId eq '$topRole'&`$expand=principal"
    'conditionalAccessPolicies' = 'v1.0/identity/conditionalAccess/policies'
    'userRegistrationDetails'  = 'v1.0/reports/authenticationMethods/userRegistrationDetails'
    'signIns'                  = $signIns
    'directoryAudits'          = "v1.0/auditLogs/directoryAudits?`$filter=activityDateTime ge $since&`$top=1000"
}

# Reports come as one CSV file each.
$reports = @(
    'getEmailAppUsageUserDetail'
    'getMailboxUsageDetail'
    'getSharePointActivityUserDetail'
    'getOneDriveActivityUserDetail'
    'getTeamsUserActivityUserDetail'
)
$period = if ($LookbackDays -le 7) { 'D7' } else { 'D30' }

function Save-Page([string] $Request, [string] $Path) {
    Invoke-MgGraphRequest -Method GET -Uri $Request -Headers @{ ConsistencyLevel = 'eventual' } -OutputFilePath $Path
    (Get-Content -Raw -Path $Path | ConvertFrom-Json -AsHashtable)['@odata.nextLink']
}

function Save-List([string] $Name, [string] $Request) {
    $page = 0
    while ($Request) {
        $page++
        $path = Join-Path $Folder ('{0}-{1:d4}.json' -f $Name, $page)
        $Request = Save-Page $Request $path
        Write-Host "$path"
    }
}

function Save-Groups {
    # Members of the groups that hold the role, nested groups included.
    $principals = Get-ChildItem -Path $Folder -Filter 'role*-*.json' |
        ForEach-Object { (Get-Content -Raw -Path $_ | ConvertFrom-Json).value.principal }
    $groups = $principals | Where-Object { $_.'@odata.type' -eq '#microsoft.graph.group' } | Sort-Object -Unique -Property id
    foreach ($group in $groups) {
        $path = Join-Path $Folder "groups-$($group.id).json"
        Invoke-MgGraphRequest -Method GET -Uri "v1.0/groups/$($group.id)?`$select=id&`$expand=transitiveMembers" -OutputFilePath $path
        Write-Host "$path"
    }
}

function Save-PerUserMfa {
    # The account's own setting, for administrators alone: one request each.
    $members = Get-ChildItem -Path $Folder -Filter 'globalAdministrators-*.json' |
        ForEach-Object { (Get-Content -Raw -Path $_ | ConvertFrom-Json).value } |
        Where-Object { $_.'@odata.type' -eq '#microsoft.graph.user' }
    foreach ($member in $members) {
        $path = Join-Path $Folder "perUserMfa-$($member.id).json"
        Invoke-MgGraphRequest -Method GET -Uri "beta/users/$($member.id)/authentication/requirements" -OutputFilePath $path
        Write-Host "$path"
    }
}

New-Item -ItemType Directory -Force -Path $Folder | Out-Null
Connect-MgGraph -TenantId $TenantId -Scopes $scopes -NoWelcome
$missing = @()
try {
    foreach ($list in $lists.GetEnumerator()) {
        try { Save-List $list.Key $list.Value } catch { $missing += "$($list.Key): $($_.Exception.Message)" }
    }
    foreach ($report in $reports) {
        $path = Join-Path $Folder "$report.csv"
        try {
            Invoke-MgGraphRequest -Method GET -Uri "v1.0/reports/$report(period='$period')" -OutputFilePath $path
            Write-Host "$path"
        } catch { $missing += "${report}: $($_.Exception.Message)" }
    }
    try { Save-Groups } catch { $missing += "groups: $($_.Exception.Message)" }
    try { Save-PerUserMfa } catch { $missing += "perUserMfa: $($_.Exception.Message)" }
} finally {
    Disconnect-MgGraph | Out-Null
}
if ($missing) {
    Write-Warning "Not saved, so the report will not show what depends on it:`n$($missing -join "`n")"
}
Write-Host "Copy the assessment's result into $Folder, then run: posture report import --org ORG $Folder"
