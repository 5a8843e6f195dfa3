import { idOf } from '../../policies/fixture.ts';
import { listed } from '../../support/listed.ts';
import { rowOf } from '../../support/rows.ts';
import { newTenant, tenantSql } from '../../support/tenant.ts';

export const FOREIGN = idOf('b', 'clients');

const [tenant, other] = [newTenant(), newTenant()];

/**
 * The entries of the file actions.sql. Each entry has an action of a DBA, and says what audit.findings and audit.drift
 * must report after the action.
 */
export const ACTIONS = listed('admin/audit/actions.sql', {
  FOREIGN,
  OWN: idOf('a', 'clients'),
  // SQL that creates two clients. The first one has a site, a claim and a document.
  CLAIM: [rowOf('clients', other), tenantSql(tenant, 'A'), rowOf('documents', tenant)].join('\n'),
  CLIENT: tenant.clients,
  OTHER: other.clients,
  // SQL that creates a schema which does not belong to the service, and which every login has the right to use.
  ELSEWHERE: 'create schema elsewhere; grant usage on schema elsewhere to public;',
}).map(({ head: [problem = '', ...fields], sql, parts }) => ({
  problem,
  sql,
  findings: linesOf('finding', fields).map(({ name, object }) => ({ finding: name, object })),
  drift: linesOf('drift', fields).map(({ name, object }) => ({ kind: name, object })),
  ways: waysOf(fields),
  hasOthers: fields.includes('others'),
  shows: parts['shows'],
  mend: parts['mend']?.sql,
}));

/**
 * Returns what the audit must report according to an entry of actions.sql, which names it as `finding NAME: OBJECT` or
 * `drift KIND: OBJECT`.
 */
function linesOf(view: 'finding' | 'drift', fields: readonly string[]): { name: string; object: string }[] {
  return fields
    .filter((field) => field.startsWith(`${view} `))
    .map((field) => field.slice(view.length + 1).split(/: (.*)/s))
    .map(([name = '', object = '']) => ({ name, object }));
}

/**
 * Returns the database role under which audit.who_can_see must list the login. An entry of actions.sql names this role
 * after `who_can_see`. If it names no role, the role has the same name as the expected problem.
 */
function waysOf(fields: readonly string[]): string[] {
  const field = fields.find((one) => one.startsWith('who_can_see'));
  const [, way = linesOf('finding', fields)[0]?.name ?? ''] = field?.split(' ') ?? [];
  return field === undefined ? [] : [way];
}
