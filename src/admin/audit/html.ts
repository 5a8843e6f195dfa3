import escaped from 'escape-html';
import {
  type MatrixCell,
  SQL_COMMANDS,
  listFunctionRoles,
  matrixLines,
  type RowReach,
  rolesInMatrix,
  shortenRoleName,
} from './symbols.ts';
import { showRevokesAsRights, type Drift } from './drift.ts';
import type { DriftAcceptance, AuditReport, Finding } from './read.ts';

const ROW_REACH_TEXTS: Readonly<Record<RowReach, string>> = {
  none: 'not granted',
  closed: 'granted, but no policy lets a row pass',
  some: 'the rows that its policy lets pass',
  all: 'every row',
};
const VERBS_BY_COMMAND = { INSERT: 'create', SELECT: 'read', UPDATE: 'update', DELETE: 'delete' } as const;

export function renderAuditHtml(audit: AuditReport): string {
  const { database, server, matrix, findings, ofProvider, drift, isDriftRead, auditDifferences, accepted } = audit;
  const isClean = findings.length + drift.length + auditDifferences.length === 0;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rights in ${escaped(database)}</title>
<style>${PAGE_CSS}</style>
<h1>Who may do what in ${escaped(database)}</h1>
<p>Postgres ${escaped(server)}. <strong class="${isClean ? 'well' : 'ill'}">${
    isClean ? 'No finding and no drift.' : `${findings.length} findings, ${drift.length} drifts.`
  }</strong></p>
${renderAuditDifferences(auditDifferences)}${renderLegend()}
${renderMatrixTable(audit)}
${renderFindingsTable('Findings', 'what to do', findings)}
${
  ofProvider.length === 0
    ? ''
    : renderFindingsTable('Findings that only the provider can mend', 'what to do instead', ofProvider)
}
${isDriftRead ? renderDriftTable(drift) : '<h2>Drift</h2><p class="ill">Drift was not read.</p>'}
${renderAcceptancesTable(accepted)}
<h2>Functions, and who but their owner may run them</h2>
<table class="list">${listFunctionRoles(matrix)
    .map(([name, roles]) => `<tr><td><code>${escaped(name)}</code><td>${escaped(roles.join(', '))}`)
    .join('\n')}</table>
</html>
`;
}

function renderLegend(): string {
  const items = (Object.keys(ROW_REACH_TEXTS) as RowReach[])
    .reverse()
    .map((reach) => `<span><i class="${reach}"></i> ${ROW_REACH_TEXTS[reach]}</span>`);
  return `<p class="legend">Each square, from the left: create, read, update, delete. ${items.join(' ')}
Point at a square for its policy. A view has the policies of its tables.</p>`;
}

function renderMatrixTable({ matrix }: AuditReport): string {
  const rows = matrixLines(matrix).map(
    ({ object, cells }) =>
      `<tr><th scope="row">${escaped(object)}${cells
        .map((commands) => `<td><span class="crud">${commands.map(renderCommandSquare).join('')}</span>`)
        .join('')}`,
  );
  return `<table class="matrix">
<thead><tr><th>${rolesInMatrix(matrix)
    .map((role) => `<th scope="col">${escaped(shortenRoleName(role).replaceAll('_', ' '))}`)
    .join('')}</thead>
${rows.join('\n')}
</table>`;
}

function renderCommandSquare({ row, reach }: MatrixCell, index: number): string {
  const command = SQL_COMMANDS[index] ?? 'SELECT';
  const lines = [
    `${VERBS_BY_COMMAND[command]}: ${ROW_REACH_TEXTS[reach]}`,
    row?.columns == null ? undefined : `columns: ${row.columns}`,
    row?.policies == null ? undefined : `policy: ${row.policies}`,
    row?.using == null ? undefined : `using (${row.using})`,
    row?.check == null ? undefined : `with check (${row.check})`,
  ];
  const title = lines.filter((line) => line !== undefined).join('\n');
  return `<i class="${reach}" title="${escaped(title)}"></i>`;
}

function renderTable(title: string, columns: readonly string[], rows: readonly string[]): string {
  const cells = columns.map((column) => `<th>${column}`).join('');
  return `<h2>${title}</h2>\n<table class="list"><tr>${cells}\n${rows.join('\n')}</table>`;
}

function renderFindingsTable(title: string, advice: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return `<h2>${title}</h2><p class="well">None.</p>`;
  const rows = findings.map(
    ({ level, finding, object, detail, remedy }) =>
      `<tr class="${escaped(level)}"><td>${escaped(level)}<td>${escaped(finding)}<td><code>${escaped(object)}</code>` +
      `<td>${escaped(detail)}<td><code>${escaped(remedy)}</code>`,
  );
  return renderTable(title, ['level', 'finding', 'object', 'what is wrong', advice], rows);
}

function renderAuditDifferences(blinded: readonly string[]): string {
  if (blinded.length === 0) return '';
  const items = blinded.map((what) => `<li><code>${escaped(what)}</code>`).join('\n');
  return `<p class="ill">The audit itself was changed, by hand or by another release:</p><ul>${items}</ul>\n`;
}

function renderDriftTable(drift: readonly Drift[]): string {
  if (drift.length === 0) return '<h2>Drift</h2><p class="well">None: everything is as the repository declares it.</p>';
  const rows = drift
    .map(showRevokesAsRights)
    .map(
      ({ kind, object, change, applied, present }) =>
        `<tr class="error"><td>${escaped(change)} ${escaped(kind)}<td><code>${escaped(object)}</code>` +
        `<td><code>${escaped(applied ?? '–')}</code><td><code>${escaped(present ?? '–')}</code>`,
    );
  return renderTable('Drift from what the repository declares', ['change', 'object', 'declared', 'present'], rows);
}

function renderAcceptancesTable(accepted: readonly DriftAcceptance[]): string {
  if (accepted.length === 0) return '<h2>Accepted</h2><p>Nothing.</p>';
  const rows = accepted.map(
    ({ what, object, asItStood, reason, acceptedBy, acceptedOn, stillStands }) =>
      `<tr><td>${escaped(what)}<td><code>${escaped(object)}</code><td><code>${escaped(asItStood)}</code>` +
      `<td>${escaped(reason)}<td>${escaped(acceptedBy)}<td>${escaped(acceptedOn)}` +
      `<td>${stillStands ? 'yes' : 'no: audit.withdraw takes it off this list'}`,
  );
  const columns = ['what', 'object', 'as it stood', 'reason', 'by', 'on', 'still there'];
  return renderTable('Accepted', columns, rows);
}

/** The colours of the audit report: dark for a role that reaches every row, light for some rows, red for errors. */
const PAGE_CSS = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1c2430; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
code { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
.matrix th[scope=row] { text-align: left; font-weight: 500; padding: 3px 18px 3px 0; white-space: nowrap; }
.matrix th[scope=col] { font-weight: 500; font-size: 12px; padding: 0 9px 6px; vertical-align: bottom; max-width: 82px; }
.matrix td { padding: 3px 9px; text-align: center; border-left: 1px solid #e5e9ef; }
.matrix tr + tr { border-top: 1px solid #eef1f5; }
.matrix tr:hover { background: #f6f8fb; }
.crud { white-space: nowrap; }
i { display: inline-block; width: 13px; height: 13px; margin: 0 1px; border-radius: 2px; vertical-align: middle; box-sizing: border-box; }
.none { border: 1px solid #e1e6ed; }
.closed { border: 1px solid #9aa7b8; background: repeating-linear-gradient(45deg, #fff 0 2px, #c3ccd8 2px 4px); }
.some { background: #7cb3f2; }
.all { background: #0b3d91; }
.legend span { margin-right: 1rem; white-space: nowrap; }
.list td, .list th { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-top: 1px solid #e5e9ef; }
.well { color: #18794e; }
.ill, .error td:first-child { color: #c62a2f; font-weight: 600; }
.warning td:first-child { color: #9a6700; font-weight: 600; }
`;
