import type { Role } from '../../../src/identity/caller.ts';
import type { Operation, Situation } from './operations.ts';
import type { Belongings, Claim } from './people.ts';
import { rowOf } from './rows.ts';
import type { Kept } from './sight.ts';

/**
 * Takes a record out of the list of a simulated user’s records, before a request changes the record. If the change gets
 * no answer, the load test does not know whether the record was changed.
 */
function take<T>(from: T[], random: () => number, isGood: (one: T) => boolean = () => true): T | undefined {
  const good = from.filter(isGood);
  const one = good[Math.floor(random() * good.length)];
  if (one !== undefined) from.splice(from.indexOf(one), 1);
  return one;
}

/**
 * Compares the answer to a change with the values that the request sent. All later answers to the same user must show
 * the changed record.
 */
function written(own: Belongings, table: Kept, body: Buffer, field: string, value: string): string | null {
  const row = rowOf(body);
  own.sight.acknowledged(table, row);
  return row[field] === value ? null : `${field} is ${String(row[field])}, and not ${value}`;
}

const STAFF: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'];
const MANAGERS: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER'];

const FEW = 5;

function move({ own, random, person: { role } }: Situation) {
  // A tax specialist is not allowed to set a claim’s status back to draft.
  const isMovable = ({ status }: Claim) => role !== 'TAX_SPECIALIST' || status === 'DRAFT';
  const claim = take(own.claims, random, isMovable);
  if (claim === undefined) return undefined;
  own.sight.begun(claim.id);
  const status = claim.status === 'DRAFT' ? 'READY_FOR_REVIEW' : 'DRAFT';
  return {
    line: `PUT /api/reclamations/${claim.id}`,
    body: { status },
    record: claim.id,
    marker: status,
    expects: [200],
    answered: (body: Buffer) => {
      own.claims.push({ ...claim, status });
      return written(own, 'reclamations', body, 'status', status);
    },
  };
}

export const CHANGES: readonly Operation[] = [
  {
    ...{ name: 'change site', kind: 'change', table: 'sites', weight: 5, roles: STAFF },
    prepare: ({ own, random, marker }) => {
      const record = take(own.sites, random);
      if (record === undefined) return undefined;
      own.sight.begun(record);
      return {
        line: `PUT /api/sites/${record}`,
        body: { address: marker },
        ...{ record, marker, expects: [200] },
        answered: (body) => {
          own.sites.push(record);
          return written(own, 'sites', body, 'address', marker);
        },
      };
    },
  },
  {
    ...{ name: 'move claim', kind: 'move', table: 'reclamations', weight: 4, roles: STAFF },
    prepare: move,
  },
  {
    // Invoices of all tenants take their numbers from one row of the database, so requests that issue invoices wait for
    // each other.
    ...{ name: 'issue invoice', kind: 'move', table: 'factures', weight: 3, roles: MANAGERS },
    prepare: ({ own, random }) => {
      const record = take(own.drafts, random);
      if (record === undefined) return undefined;
      return {
        line: `PUT /api/invoices/${record}`,
        body: { status: 'ISSUED' },
        record,
        marker: 'ISSUED',
        expects: [200],
      };
    },
  },
  {
    ...{ name: 'delete site', kind: 'delete', table: 'sites', weight: 2, roles: MANAGERS },
    prepare: ({ own, random }) => {
      const record = own.sites.length > FEW ? take(own.sites, random) : undefined;
      if (record === undefined) return undefined;
      own.sight.begun(record);
      const answered = (): null => {
        own.sight.deleted(record);
        return null;
      };
      return { line: `DELETE /api/sites/${record}`, record, expects: [204], answered };
    },
  },
  {
    ...{ name: 'delete document', kind: 'delete', table: 'documents', weight: 2, roles: STAFF },
    prepare: ({ own, random }) => {
      const upload = own.uploads.length > FEW ? take(own.uploads, random) : undefined;
      if (upload === undefined) return undefined;
      return { line: `DELETE /api/documents/${upload.id}`, record: upload.id, expects: [204] };
    },
  },
];
