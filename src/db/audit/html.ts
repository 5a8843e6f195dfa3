import { STYLE } from './html-style.ts';
import { type Cell, COMMANDS, functionsOf, linesOf, type Reach, rolesOf, shortName } from './symbols.ts';
import type { Drift } from './drift.ts';
import type { Accepted, Audit, Finding } from './read.ts';

const MEANING: Readonly<Record<Reach, string>> = {
  none: 'not granted',
  closed: 'granted, but no policy lets a row pass',
  some: 'the rows that its policy lets pass',
  all: 'every row',
};
const VERBS = { INSERT: 'create', SELECT: 'read', UPDATE: 'update', DELETE: 'delete' } as const;

/** The audit as one page that needs nothing else: the matrix as a picture, then what is wrong. */
export function renderHtml(audit: Audit): string {
  const { database, server, matrix, findings, drift, blinded, accepted } = audit;
  const well = findings.length + drift.length + blinded.length === 0;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rights in ${escaped(database)}</title>
<style>${STYLE}</style>
<h1>Who may do what in ${escaped(database)}</h1>
<p>Postgres ${escaped(server)}. <strong class="${well ? 'well' : 'ill'}">${
    well ? 'No finding and no drift.' : `${String(findings.length)} findings, ${String(drift.length)} drifts.`
  }</strong></p>
${blindedList(blinded)}${legend()}
${matrixTable(audit)}
${findingsTable(findings)}
${driftTable(drift)}
${acceptedTable(accepted)}
<h2>Functions, and who but their owner may run them</h2>
<table class="list">${functionsOf(matrix)
    .map(([name, roles]) => `<tr><td><code>${escaped(name)}</code><td>${escaped(roles.join(', '))}`)
    .join('\n')}</table>
</html>
`;
}

function legend(): string {
  const shades = (Object.keys(MEANING) as Reach[])
    .reverse()
    .map((reach) => `<span><i class="${reach}"></i> ${MEANING[reach]}</span>`);
  return `<p class="legend">Each square, from the left: create, read, update, delete. ${shades.join(' ')}
Point at a square for its policy. A view has the policies of its tables.</p>`;
}

function matrixTable({ matrix }: Audit): string {
  const lines = linesOf(matrix).map(
    ({ object, cells }) =>
      `<tr><th scope="row">${escaped(object)}${cells
        .map((commands) => `<td><span class="crud">${commands.map(square).join('')}</span>`)
        .join('')}`,
  );
  return `<table class="matrix">
<thead><tr><th>${rolesOf(matrix)
    .map((role) => `<th scope="col">${escaped(shortName(role).replaceAll('_', ' '))}`)
    .join('')}</thead>
${lines.join('\n')}
</table>`;
}

function square({ row, reach }: Cell, index: number): string {
  const command = COMMANDS[index] ?? 'SELECT';
  const parts = [
    `${VERBS[command]}: ${MEANING[reach]}`,
    row?.columns == null ? undefined : `columns: ${row.columns}`,
    row?.policies == null ? undefined : `policy: ${row.policies}`,
    row?.using == null ? undefined : `using (${row.using})`,
    row?.check == null ? undefined : `with check (${row.check})`,
  ];
  const title = parts.filter((part) => part !== undefined).join('\n');
  return `<i class="${reach}" title="${escaped(title)}"></i>`;
}

function findingsTable(findings: readonly Finding[]): string {
  if (findings.length === 0) return '<h2>Findings</h2><p class="well">None.</p>';
  return `<h2>Findings</h2>
<table class="list"><tr><th>level<th>finding<th>object<th>what is wrong<th>what to do
${findings
  .map(
    ({ level, finding, object, detail, remedy }) =>
      `<tr class="${escaped(level)}"><td>${escaped(level)}<td>${escaped(finding)}<td><code>${escaped(object)}</code>` +
      `<td>${escaped(detail)}<td><code>${escaped(remedy)}</code>`,
  )
  .join('\n')}</table>`;
}

function blindedList(blinded: readonly string[]): string {
  if (blinded.length === 0) return '';
  const items = blinded.map((what) => `<li><code>${escaped(what)}</code>`).join('\n');
  return `<p class="ill">The audit itself was changed, by hand or by another release:</p><ul>${items}</ul>\n`;
}

function driftTable(drift: readonly Drift[]): string {
  if (drift.length === 0)
    return '<h2>Drift</h2><p class="well">None: everything is as the repository declares it.</p>';
  return `<h2>Drift from what the repository declares</h2>
<table class="list"><tr><th>change<th>object<th>declared<th>present
${drift
  .map(
    ({ kind, object, change, applied, present }) =>
      `<tr class="error"><td>${escaped(change)} ${escaped(kind)}<td><code>${escaped(object)}</code>` +
      `<td><code>${escaped(applied ?? '–')}</code><td><code>${escaped(present ?? '–')}</code>`,
  )
  .join('\n')}</table>`;
}

function acceptedTable(accepted: readonly Accepted[]): string {
  if (accepted.length === 0) return '<h2>Accepted</h2><p>Nothing.</p>';
  return `<h2>Accepted</h2>
<table class="list"><tr><th>what<th>object<th>as it stood<th>reason<th>by<th>on<th>still there
${accepted
  .map(
    ({ what, object, asItStood, reason, acceptedBy, acceptedOn, stillStands }) =>
      `<tr><td>${escaped(what)}<td><code>${escaped(object)}</code><td><code>${escaped(asItStood)}</code>` +
      `<td>${escaped(reason)}<td>${escaped(acceptedBy)}<td>${escaped(acceptedOn)}` +
      `<td>${stillStands ? 'yes' : 'no: audit.withdraw takes it off this list'}`,
  )
  .join('\n')}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
