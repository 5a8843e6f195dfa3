import type { Audit, MatrixRow } from './read.ts';

const LETTERS = { INSERT: 'c', SELECT: 'r', UPDATE: 'u', DELETE: 'd' } as const;
const COMMANDS = Object.keys(LETTERS);

export function renderText({ database, server, matrix, findings, drift, blinded, accepted }: Audit): string {
  return [
    `Database ${database}, Postgres ${server}`,
    '',
    ...matrixText(matrix),
    '',
    ...functionsText(matrix),
    '',
    findings.length === 0 ? 'No finding.' : `${counted(findings.length, 'finding')}:`,
    ...findings.flatMap(({ level, finding, object, detail, remedy }) => [
      `  ${level.toUpperCase()} ${finding}: ${object}`,
      `      ${detail}`,
      `      → ${remedy}`,
    ]),
    ...(blinded.length === 0
      ? []
      : [
          'The audit itself was changed, by hand or by another release; believe nothing that it says:',
          ...blinded.map((what) => `  ${what}`),
        ]),
    drift.length === 0
      ? 'No drift: everything is as the repository declares it.'
      : `${counted(drift.length, 'difference')} from what the repository declares:`,
    ...drift.flatMap(({ kind, object, change, applied, present }) => [
      `  ${change} ${kind}: ${object}`,
      ...(applied === null ? [] : [`    - ${applied}`]),
      ...(present === null ? [] : [`    + ${present}`]),
    ]),
    ...(accepted.length === 0 ? [] : [`${counted(accepted.length, 'acceptance')}:`]),
    ...accepted.flatMap(({ what, object, asItStood, reason, acceptedBy, acceptedOn, stillStands }) => [
      `  ${what}: ${object}`,
      `      ${asItStood}`,
      `      accepted by ${acceptedBy} on ${acceptedOn}: ${reason}`,
      ...(stillStands ? [] : ['      no longer there: audit.withdraw takes it off this list']),
    ]),
    '',
  ].join('\n');
}

export function matrixText(matrix: readonly MatrixRow[]): string[] {
  const roles = [...new Set(matrix.map(({ role }) => role))];
  const lines = linesOf(matrix, roles);
  const width = Math.max(...lines.map(([object]) => object.length)) + 2;
  const row = (object: string, cells: readonly string[]): string =>
    `${object.padEnd(width)}${cells.map((cell, index) => cell.padEnd(shortName(roles[index]).length + 2)).join('')}`.trimEnd();
  return [
    'c create, r read, u update, d delete: the rows that a policy lets pass; C R U D: every row;',
    '· granted, but no policy lets a row pass; - not granted. A view has the policies of its tables.',
    '',
    row('', roles.map(shortName)),
    ...lines.map(([object, cells]) => row(object, cells)),
  ];
}

type Line = readonly [object: string, cells: readonly string[]];

/** The views of schema audit, one for each finding, are one line where their rights are the same. */
function linesOf(matrix: readonly MatrixRow[], roles: readonly string[]): Line[] {
  const marks = new Map(matrix.map((row) => [`${row.object} ${row.role} ${row.command}`, markOf(row)]));
  const relations = matrix.filter(({ command }) => command !== 'EXECUTE');
  const isView = new Map(relations.map((row) => [row.object, row.isView]));
  const lines = [...isView.keys()].map((object): Line => {
    const cellOf = (role: string): string =>
      COMMANDS.map((command) => marks.get(`${object} ${role} ${command}`) ?? '-').join('');
    return [object, roles.map(cellOf)];
  });
  const isOfAudit = ([object]: Line): boolean => object.startsWith('audit.') && isView.get(object) === true;
  const alike = Map.groupBy(lines, (line) => (isOfAudit(line) ? line[1].join() : line[0]));
  return [...alike.values()].flatMap((group): Line[] =>
    group.length === 1 ? group : [[`audit: ${group.length} views`, group[0]?.[1] ?? []]],
  );
}

function markOf({ command, granted, isView, policies, using, check }: MatrixRow): string {
  if (!granted || command === 'EXECUTE') return '-';
  const letter = LETTERS[command];
  if (isView) return letter;
  if (policies === null) return '·';
  return using === 'true' || (using === null && check === 'true') ? letter.toUpperCase() : letter;
}

/** The functions that a role besides their owner may run, and which roles may. */
function functionsText(matrix: readonly MatrixRow[]): string[] {
  const granted = matrix.filter(
    ({ role, command, granted }) => command === 'EXECUTE' && granted && role !== 'taxclaims_owner',
  );
  return [...Map.groupBy(granted, ({ object }) => object)].map(
    ([name, rows]) => `${name}: ${rows.map(({ role }) => shortName(role)).join(', ')}`,
  );
}

function shortName(role = ''): string {
  return role.replace('taxclaims_', '');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
