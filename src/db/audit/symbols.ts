import type { MatrixRow } from './read.ts';

/** What a role may do with a table, command by command. */
export type Reach =
  /** Not granted. */
  | 'none'
  /** Granted, but no policy lets a row pass. */
  | 'closed'
  /** The rows that its policy lets pass. */
  | 'some'
  /** Every row. */
  | 'all';

export const COMMANDS = ['INSERT', 'SELECT', 'UPDATE', 'DELETE'] as const;

const LETTERS = { INSERT: 'c', SELECT: 'r', UPDATE: 'u', DELETE: 'd' } as const;

export interface Cell {
  readonly row: MatrixRow | undefined;
  readonly reach: Reach;
}

interface MatrixLine {
  readonly object: string;
  /** One list of the four commands for each role. */
  readonly cells: readonly (readonly Cell[])[];
}

/** The roles of the house, in their order. */
export function rolesOf(matrix: readonly MatrixRow[]): string[] {
  return [...new Set(matrix.map(({ role }) => role))];
}

/** The tables and views of the matrix, in the order of their names: one line each, the DBA's own views folded. */
export function linesOf(matrix: readonly MatrixRow[]): MatrixLine[] {
  return folded(everyLineOf(matrix));
}

/** The views of schema audit, of which there is one for each finding, are one line where their rights are the same. */
function folded(lines: readonly MatrixLine[]): MatrixLine[] {
  const kept = new Map<string, { line: MatrixLine; count: number }>();
  for (const line of lines) {
    const isAuditView = line.object.startsWith('audit.') && line.cells[0]?.[0]?.row?.isView === true;
    const key = isAuditView ? line.cells.map(marksOf).join() : line.object;
    kept.set(key, { line, count: (kept.get(key)?.count ?? 0) + 1 });
  }
  return [...kept.values()].map(({ line, count }) =>
    count === 1 ? line : { ...line, object: `audit: ${String(count)} views` },
  );
}

function everyLineOf(matrix: readonly MatrixRow[]): MatrixLine[] {
  const cells = new Map(matrix.map((row) => [`${row.object} ${row.role} ${row.command}`, row]));
  const roles = rolesOf(matrix);
  const objects = new Set(matrix.filter(({ command }) => command !== 'EXECUTE').map(({ object }) => object));
  return [...objects].map((object) => ({
    object,
    cells: roles.map((role) =>
      COMMANDS.map((command) => {
        const row = cells.get(`${object} ${role} ${command}`);
        return { row, reach: reachOf(row) };
      }),
    ),
  }));
}

/** The functions that a role besides their owner may run, and which roles may. */
export function functionsOf(matrix: readonly MatrixRow[]): [name: string, roles: string[]][] {
  const functions = new Map<string, string[]>();
  for (const { object, role, command, granted } of matrix) {
    if (command !== 'EXECUTE' || !granted || role === 'taxclaims_owner') continue;
    functions.set(object, [...(functions.get(object) ?? []), shortName(role)]);
  }
  return [...functions];
}

/** c r u d for the rows that a policy lets pass, C R U D for every row, a dot for a grant without a policy. */
export function marksOf(cells: readonly Cell[]): string {
  return COMMANDS.map((command, index) => {
    switch (cells[index]?.reach ?? 'none') {
      case 'none':
        return '-';
      case 'closed':
        return '·';
      case 'some':
        return LETTERS[command];
      case 'all':
        return LETTERS[command].toUpperCase();
    }
  }).join('');
}

export function shortName(role: string): string {
  return role.replace('taxclaims_', '');
}

function reachOf(row: MatrixRow | undefined): Reach {
  if (row?.granted !== true) return 'none';
  if (row.isView) return 'some';
  if (row.policies === null) return 'closed';
  return row.using === 'true' || (row.using === null && row.check === 'true') ? 'all' : 'some';
}
