import { listFunctionRoles, matrixLines, formatAccessLetters, rolesInMatrix, shortenRoleName } from './symbols.ts';
import { replaceControlCharacters } from '../../single-line.ts';
import { showRevokesAsRights } from './drift.ts';
import type { AuditReport, Finding, MatrixRow } from './read.ts';

export function renderAuditText({
  database,
  server,
  matrix,
  findings,
  ofProvider,
  drift,
  isDriftRead,
  auditDifferences,
  accepted,
}: AuditReport): string {
  return [
    `Database ${database}, Postgres ${server}`,
    '',
    ...matrixText(matrix),
    '',
    ...listFunctionRoles(matrix).map(([name, roles]) => `${name}: ${roles.join(', ')}`),
    '',
    findings.length === 0 ? 'No finding.' : `${formatCount(findings.length, 'finding')}:`,
    ...findings.flatMap(findingText),
    ...(ofProvider.length === 0
      ? []
      : [
          `Findings that only the provider of the server can mend (${ofProvider.length}), and what to do instead; audit.accept_home accepts all of them:`,
          ...ofProvider.flatMap(findingText),
        ]),
    ...(auditDifferences.length === 0
      ? []
      : [
          'The audit itself was changed, by hand or by another release; do not rely on its findings:',
          ...auditDifferences.map((what) => `  ${what}`),
        ]),
    drift.length === 0
      ? noDriftText(isDriftRead)
      : `${formatCount(drift.length, 'difference')} from what the repository declares:`,
    ...drift
      .map(showRevokesAsRights)
      .flatMap(({ kind, object, change, applied, present }) => [
        `  ${change} ${kind}: ${object}`,
        ...(applied === null ? [] : [`    - ${applied}`]),
        ...(present === null ? [] : [`    + ${present}`]),
      ]),
    ...(accepted.length === 0 ? [] : [`${formatCount(accepted.length, 'acceptance')}:`]),
    ...accepted.flatMap(({ what, object, asItStood, reason, acceptedBy, acceptedOn, stillStands }) => [
      `  ${what}: ${object}`,
      ...asItStood.split('\n').map((line) => `      ${line}`),
      `      accepted by ${acceptedBy} on ${acceptedOn}: ${reason}`,
      ...(stillStands ? [] : ['      no longer exists: audit.withdraw removes it from this list']),
    ]),
    '',
  ]
    .map(replaceControlCharacters)
    .join('\n');
}

function findingText({ level, finding, object, detail, remedy }: Finding): string[] {
  return [`  ${level.toUpperCase()} ${finding}: ${object}`, `      ${detail}`, `      → ${remedy}`];
}

export function matrixText(matrix: readonly MatrixRow[]): string[] {
  const lines = matrixLines(matrix);
  const roles = rolesInMatrix(matrix).map(shortenRoleName);
  const width = Math.max(...lines.map(({ object }) => object.length)) + 2;
  const row = (object: string, cells: readonly string[]): string =>
    `${object.padEnd(width)}${cells.map((cell, index) => cell.padEnd((roles[index]?.length ?? 0) + 2)).join('')}`.trimEnd();
  return [
    'c create, r read, u update, d delete: the rows that a policy lets pass; C R U D: every row;',
    '· granted, but no policy lets a row pass; - not granted. A view has the policies of its tables.',
    '',
    row('', roles),
    ...lines.map(({ object, cells }) => row(object, cells.map(formatAccessLetters))),
  ];
}

function noDriftText(isDriftRead: boolean): string {
  return isDriftRead ? 'No drift: everything is as the repository declares it.' : 'Drift was not read.';
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
