import type { MatrixRow } from './read.ts';

/** Which rows of a table a role reaches with a command; `closed` means that the role has a grant but no policy. */
export type RowReach = 'none' | 'closed' | 'some' | 'all';

export const SQL_COMMANDS = ['INSERT', 'SELECT', 'UPDATE', 'DELETE'] as const;

const LETTERS_BY_COMMAND = { INSERT: 'c', SELECT: 'r', UPDATE: 'u', DELETE: 'd' } as const;

export interface MatrixCell {
  readonly row: MatrixRow | undefined;
  readonly reach: RowReach;
}

interface MatrixLine {
  readonly object: string;
  readonly cells: readonly (readonly MatrixCell[])[];
}

export function rolesInMatrix(matrix: readonly MatrixRow[]): string[] {
  return [...new Set(matrix.map(({ role }) => role))];
}

/** Returns one line for each table and view; views of schema audit with the same rights share one line. */
export function matrixLines(matrix: readonly MatrixRow[]): MatrixLine[] {
  const lines = new Map<string, { line: MatrixLine; count: number }>();
  for (const line of uncombinedLines(matrix)) {
    const isAuditView = line.object.startsWith('audit.') && line.cells[0]?.[0]?.row?.isView === true;
    const key = isAuditView ? line.cells.map(formatAccessLetters).join() : line.object;
    lines.set(key, { line, count: (lines.get(key)?.count ?? 0) + 1 });
  }
  return [...lines.values()].map(({ line, count }) =>
    count === 1 ? line : { ...line, object: `audit: ${count} views` },
  );
}

function uncombinedLines(matrix: readonly MatrixRow[]): MatrixLine[] {
  const rows = new Map(matrix.map((row) => [`${row.object} ${row.role} ${row.command}`, row]));
  const roles = rolesInMatrix(matrix);
  const objects = new Set(matrix.filter(({ command }) => command !== 'EXECUTE').map(({ object }) => object));
  return [...objects].map((object) => ({
    object,
    cells: roles.map((role) =>
      SQL_COMMANDS.map((command) => {
        const row = rows.get(`${object} ${role} ${command}`);
        return { row, reach: determineRowReach(row) };
      }),
    ),
  }));
}

export function listFunctionRoles(matrix: readonly MatrixRow[]): [name: string, roles: string[]][] {
  const functions = new Map<string, string[]>();
  for (const { object, role, command, granted } of matrix) {
    if (command !== 'EXECUTE' || !granted || role === 'taxclaims_owner') continue;
    functions.set(object, [...(functions.get(object) ?? []), shortenRoleName(role)]);
  }
  return [...functions];
}

/**
 * Returns one character each for create, read, update and delete. A small letter means that the role reaches some rows,
 * a capital every row; a dot means that the role has a grant but no policy.
 */
export function formatAccessLetters(cells: readonly MatrixCell[]): string {
  return SQL_COMMANDS.map((command, index) => {
    const letter = LETTERS_BY_COMMAND[command];
    const letters = { none: '-', closed: '·', some: letter, all: letter.toUpperCase() };
    return letters[cells[index]?.reach ?? 'none'];
  }).join('');
}

export function shortenRoleName(role: string): string {
  return role.replace('taxclaims_', '');
}

function determineRowReach(row: MatrixRow | undefined): RowReach {
  if (row?.granted !== true) return 'none';
  if (row.isView) return 'some';
  if (row.policies === null) return 'closed';
  return row.using === 'true' || (row.using === null && row.check === 'true') ? 'all' : 'some';
}
