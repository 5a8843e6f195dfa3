import { describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, expectInvalid, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/*
 * This suite tests which moves of a claim depend on more than its status: on the administration's silence, the amounts, a
 * judgment, and the move before; and the dates of the moves. possible-moves.test.ts tests which moves depend on the
 * status alone, why-not.test.ts simultaneous ones, versions.test.ts those with one ETag, and test/law their history.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const tokens = {
  ADMIN: await service.token('ADMIN', [own.clients]),
  ACCOUNT_MANAGER: await service.token('ACCOUNT_MANAGER', [own.clients]),
  TAX_SPECIALIST: await service.token('TAX_SPECIALIST', [own.clients]),
  CLIENT: await service.token('CLIENT', [own.clients]),
} as const satisfies Record<Role, string>;

/** Inserts a claim of 100 € in a status, without any earlier status changes. */
async function claim(status: string, columns: Readonly<Record<string, string>> = {}): Promise<string> {
  const given = { claim_type: "'TF'", amount: '100', status: `'${status}'`, ...columns };
  const [row] = await service.admin(
    `insert into public.reclamations (client_id, site_id, ${Object.keys(given).join()})
     values ($1, $2, ${Object.values(given).join()}) returning id`,
    [own.clients, own.sites],
  );
  return String(row?.['id']);
}

function put(id: string, body: object, role: Role = 'ACCOUNT_MANAGER'): Promise<Answer> {
  return service.ask(`PUT /api/reclamations/${id}`, { token: tokens[role], body });
}

async function moved(id: string, body: object): Promise<Record<string, unknown>> {
  const answer = await put(id, body);
  expect([answer.status, answer.json]).toEqual([200, expect.objectContaining(body)]);
  return answer.json as Record<string, unknown>;
}

async function read(id: string, path: 'history' | 'moves', role: Role = 'ACCOUNT_MANAGER') {
  const { json } = await service.ask(`GET /api/reclamations/${id}/${path}`, { token: tokens[role] });
  return json as Record<string, unknown>[];
}

async function listsLitigation(id: string): Promise<boolean> {
  return (await read(id, 'moves')).some(({ status }) => status === 'LITIGATION');
}

test.each(['SUBMITTED', 'ACKNOWLEDGED'])(
  'a claim that is %s goes to court once the day of the answer has passed, and not before',
  async (status) => {
    const waiting = await claim(status, { received_on: 'app.paris_today() - 150' });
    const [row] = await service.admin(
      `select (response_due_at at time zone 'Europe/Paris')::date::text as day from public.reclamations where id = $1`,
      [waiting],
    );
    expect(await listsLitigation(waiting)).toBe(false);
    expectError(await put(waiting, { status: 'LITIGATION' }), 'ERROR_CONFLICT', {
      status: `cannot be LITIGATION now: the answer is due until ${String(row?.['day'])}`,
    });
    await service.admin(`update public.reclamations set received_on = app.paris_today() - 200 where id = $1`, [
      waiting,
    ]);
    expect(await listsLitigation(waiting)).toBe(true);
    expect(await moved(waiting, { status: 'LITIGATION' })).toMatchObject({ instance: 'TA' });
  },
);

test('a claim whose day of the answer is unknown goes to court only after the caller gives submitted_at', async () => {
  const id = await claim('SUBMITTED');
  expectError(await put(id, { status: 'LITIGATION' }), 'ERROR_CONFLICT', {
    submitted_at: 'is needed for the move to LITIGATION',
  });
  expect(await listsLitigation(id)).toBe(false);
});

test.each([
  ['99.99', undefined],
  [
    '100',
    {
      status:
        'cannot be LITIGATION now: the whole amount was granted, and granted_amount must be below amount before the move',
    },
  ],
  ['null', { granted_amount: 'must be stored before the move to LITIGATION: enter it first' }],
])(
  'a refunded claim of 100 € with the granted amount %s goes to court only if the stored granted amount is below 100 €',
  async (granted, refusal) => {
    const id = await claim('REFUNDED', { granted_amount: granted });
    expect(await listsLitigation(id)).toBe(refusal === undefined);
    const answer = await put(id, { status: 'LITIGATION' });
    if (refusal === undefined) expect(answer.json).toMatchObject({ status: 'LITIGATION', granted_amount: 99.99 });
    else {
      expectError(answer, 'ERROR_CONFLICT', refusal);
      // The amounts of the same request do not make the admission a partial one.
      for (const body of [{ granted_amount: 99.99 }, { granted_amount: 100, amount: 200 }])
        expectError(await put(id, { status: 'LITIGATION', ...body }), 'ERROR_CONFLICT', refusal);
      await moved(id, { granted_amount: 99.99 });
      expect(await listsLitigation(id)).toBe(true);
      await moved(id, { status: 'LITIGATION' });
    }
  },
);

test('an accepted claim goes to court only if a court judged it before, and a request that also names the court is refused', async () => {
  const id = await claim('ACCEPTED', { granted_amount: '50' });
  for (const body of [{}, { instance: 'TA' }])
    expectError(await put(id, { status: 'LITIGATION', ...body }), 'ERROR_CONFLICT', {
      status: 'cannot be LITIGATION now: no court has judged the claim',
    });
  await moved(id, { instance: 'TA' });
  expect(await listsLitigation(id)).toBe(true);
  expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({ instance: 'CE' });
});

test('a claim that was in court before the service stored the instance was before the tribunal administratif', async () => {
  const id = await claim('LITIGATION');
  expect(await moved(id, { status: 'REJECTED' })).toMatchObject({ instance: 'TA' });
});

test.each([
  ['ACCEPTED', 0, 'must be above 0 for a claim that is ACCEPTED'],
  ['ACCEPTED', null, 'is needed for the move to ACCEPTED'],
  ['ACCEPTED', 0.01, undefined],
  ['ACCEPTED', 100, undefined],
  ['ACCEPTED', 100.01, 'must not exceed amount'],
  ['PARTIALLY_ACCEPTED', 0, 'must be above 0 for a claim that is PARTIALLY_ACCEPTED'],
  ['PARTIALLY_ACCEPTED', 0.01, undefined],
  ['PARTIALLY_ACCEPTED', 99.99, undefined],
  [
    ...(['PARTIALLY_ACCEPTED', 100] as const),
    'must be below amount for a claim that is PARTIALLY_ACCEPTED: if all was granted, it is ACCEPTED',
  ],
  ['REJECTED', null, undefined],
  ['REJECTED', 0, 'must be null for a claim that is REJECTED: if a part was granted, it is PARTIALLY_ACCEPTED'],
])(
  'a claim of 100 € that becomes %s with the granted amount %s is refused with the rule, or stored: %s',
  async (status, granted_amount, rule) => {
    const id = await claim('SUBMITTED');
    const answer = await put(id, { status, granted_amount });
    if (rule === undefined) expect(answer.json).toMatchObject({ status, granted_amount });
    else
      expect([answer.status, details(answer)]).toEqual([
        granted_amount === 100.01 ? 400 : 409,
        { granted_amount: rule },
      ]);
    // The status of a claim keeps its rule: a later change of the amounts is compared with the rule too.
    if (rule !== undefined && granted_amount !== null && granted_amount <= 100) {
      const later = await claim(status, { granted_amount: status === 'REJECTED' ? 'null' : '50' });
      expectError(await put(later, { granted_amount }), 'ERROR_CONFLICT', { granted_amount: rule });
    }
  },
);

test('the amount of a partially accepted claim cannot fall to the granted amount', async () => {
  const id = await claim('PARTIALLY_ACCEPTED', { granted_amount: '50' });
  expectError(await put(id, { amount: 50 }), 'ERROR_CONFLICT', {
    granted_amount: expect.stringContaining('must be below amount') as unknown,
  });
  await moved(id, { amount: 50.01 });
});

test('a refunded or closed claim keeps the granted amount, and a claim that the previous release stored without one accepts changes of other fields', async () => {
  const id = await claim('PARTIALLY_ACCEPTED', { granted_amount: '50' });
  await moved(id, { status: 'REFUNDED' });
  expectError(await put(id, { granted_amount: null }), 'ERROR_CONFLICT', {
    granted_amount: 'must be above 0 for a claim that is REFUNDED',
  });
  expect(await moved(id, { status: 'CLOSED' })).toMatchObject({ granted_amount: 50 });
  const found = () =>
    service.admin(`select rows from app.impossible_rows() where object = 'public.reclamations.granted_amount'`);
  const [before] = await found();
  const old = await claim('ACCEPTED');
  expect(await found()).toEqual([{ rows: String(Number(before?.['rows']) + 1) }]);
  const { json } = await service.ask(`GET /api/reclamations/${old}`, { token: tokens.ADMIN });
  expect((await put(old, { ...(json as object), grounds: 'Erreur de surface' })).json).toMatchObject({
    ...{ grounds: 'Erreur de surface', granted_amount: null },
  });
  await moved(old, { granted_amount: 100 });
  expect(await found()).toEqual([before]);
});

test('an account manager takes a move back once, with a reason that the history keeps', async () => {
  const id = await claim('SUBMITTED', { submitted_at: `'2026-01-05'` });
  await moved(id, { status: 'ACKNOWLEDGED' });
  const back = { status: 'SUBMITTED', requires: ['status_reason'], is_correction: true };
  for (const role of ['ADMIN', 'ACCOUNT_MANAGER'] as const) expect(await read(id, 'moves', role)).toContainEqual(back);
  for (const role of ['TAX_SPECIALIST', 'CLIENT'] as const)
    expect(await read(id, 'moves', role)).not.toContainEqual(back);
  expectError(await put(id, { status: 'SUBMITTED', status_reason: 'x' }, 'TAX_SPECIALIST'), 'ERROR_CONFLICT');
  expectError(await put(id, { status: 'SUBMITTED' }), 'ERROR_CONFLICT', {
    status_reason: 'is needed for the step back to SUBMITTED: why the last move was a mistake',
  });
  expect(await moved(id, { status: 'SUBMITTED', status_reason: 'Autre dossier' })).toMatchObject({
    submitted_at: '2026-01-05T00:00:00.000Z',
  });
  expect((await read(id, 'history', 'CLIENT')).slice(0, 2)).toEqual([
    expect.objectContaining({ to_status: 'SUBMITTED', reason: 'Autre dossier', is_correction: true }),
    expect.objectContaining({ to_status: 'ACKNOWLEDGED', reason: null, is_correction: false }),
  ]);
  // ACKNOWLEDGED is again a move of the table, and no step back of a step back.
  expect((await read(id, 'moves')).filter(({ is_correction }) => is_correction)).toEqual([]);
  expect(await moved(id, { status: 'ACKNOWLEDGED' })).toMatchObject({ status_reason: null });
});

test('a user who has taken a move back can take back neither the step back nor the move before it', async () => {
  const id = await claim('REJECTED');
  await moved(id, { status: 'CLOSED', status_reason: 'Client parti' });
  // The reason of the present status came with the last move: it is not that of the step back.
  const { json } = await service.ask(`GET /api/reclamations/${id}`, { token: tokens.ADMIN });
  expectError(await put(id, { ...(json as object), status: 'REJECTED' }), 'ERROR_CONFLICT', {
    status_reason: expect.stringContaining('step back') as unknown,
  });
  await moved(id, { status: 'REJECTED', status_reason: 'Mauvais dossier' });
  const listed = (await read(id, 'moves')).filter(({ is_correction }) => is_correction);
  expect(listed).toEqual([]);
  const draft = await claim('DRAFT');
  expectError(await put(draft, { status: 'CLOSED', status_reason: 'x' }), 'ERROR_CONFLICT');
  expect((await read(draft, 'moves')).map(({ status }) => status)).toEqual(['READY_FOR_REVIEW', 'WITHDRAWN']);
});

test.each(['draft', 'UNKNOWN', '', ' DRAFT', 'X'.repeat(51), null, 1, ['DRAFT'], true])(
  'a request that sets a claim’s status to %j gets 400 that names the field status',
  async (status) => {
    expectInvalid(await put(await claim('DRAFT'), { status }), ['status']);
  },
);

test('a claim’s first change to SUBMITTED sets submitted_at, and response_due_at six months later; a second change to SUBMITTED does not', async () => {
  const id = await claim('APPROVED');
  const { submitted_at, response_due_at } = await moved(id, { status: 'SUBMITTED' });
  const [row] =
    await service.sql`select ${response_due_at}::timestamptz = app.response_due_at(null, ${submitted_at}::timestamptz, false) as due`;
  expect(row).toEqual({ due: true });
  await moved(id, { status: 'REGULARISATION_REQUESTED' });
  expect(await moved(id, { status: 'SUBMITTED' })).toMatchObject({ submitted_at, response_due_at });
});

test('a claim’s submitted_at outside the years 1900 to 2200 is refused in any time zone', async () => {
  const id = await claim('APPROVED');
  for (const submitted_at of ['9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '2201-01-01T00:00:00.000Z'])
    expectError(await put(id, { status: 'SUBMITTED', submitted_at }), 'ERROR_VALIDATION', {
      submitted_at: 'must lie between 1900 and 2200',
    });
});

test('the step back of a claim that was marked as sent by mistake clears submitted_at', async () => {
  const id = await claim('APPROVED');
  expect((await moved(id, { status: 'SUBMITTED' }))['submitted_at']).not.toBeNull();
  expect(await moved(id, { status: 'APPROVED', status_reason: 'Pas encore postée' })).toMatchObject({
    submitted_at: null,
  });
});

test('a claim keeps as submitted_amount its amount when it was first sent, whatever the amount is later', async () => {
  const id = await claim('APPROVED');
  expect(await moved(id, { amount: 120 })).toMatchObject({ submitted_amount: null });
  // A request can change the amount together with the status, and gives no submitted_amount of its own.
  expectError(await put(id, { status: 'SUBMITTED', amount: 150.5, submitted_amount: 7 }), 'ERROR_CONFLICT', {
    submitted_amount: expect.stringContaining('leave it out'),
  });
  const sent = await put(id, { status: 'SUBMITTED', amount: 150.5, submitted_amount: null });
  expect(sent.json).toMatchObject({ submitted_amount: 150.5 });
  expect(await moved(id, { amount: 90 })).toMatchObject({ submitted_amount: 150.5 });
  await moved(id, { status: 'REGULARISATION_REQUESTED' });
  expect(await moved(id, { status: 'SUBMITTED' })).toMatchObject({ submitted_amount: 150.5 });
  await moved(id, { status: 'ACKNOWLEDGED' });
  expect(await moved(id, { status: 'SUBMITTED', status_reason: 'Autre dossier' })).toMatchObject({
    submitted_amount: 150.5,
  });
});

test('a claim that was marked as sent by mistake gets another submitted_amount when it is sent', async () => {
  const id = await claim('APPROVED');
  expect(await moved(id, { status: 'SUBMITTED' })).toMatchObject({ submitted_amount: 100 });
  const back = { status: 'APPROVED', status_reason: 'Pas encore postée', submitted_at: '2026-01-05T00:00:00.000Z' };
  expect(await moved(id, back)).toMatchObject({ submitted_amount: null });
  expect(await moved(id, { status: 'SUBMITTED', amount: 80 })).toMatchObject({ submitted_amount: 80 });
});

test('a claim that an older release sent has no submitted_amount, also when it is sent again', async () => {
  const id = await claim('SUBMITTED', { submitted_at: `'2026-01-05'` });
  await moved(id, { status: 'REGULARISATION_REQUESTED' });
  expect(await moved(id, { status: 'SUBMITTED' })).toMatchObject({ submitted_amount: null });
});

test('a claim that was brought before the court by mistake does not count as judged after the step back', async () => {
  const id = await claim('REJECTED');
  await moved(id, { status: 'LITIGATION' });
  expect((await read(id, 'moves')).filter(({ status }) => status === 'REJECTED')).toEqual([
    { status: 'REJECTED', requires: [], is_correction: false },
    { status: 'REJECTED', requires: ['status_reason'], is_correction: true },
  ]);
  expect(await moved(id, { status: 'REJECTED', status_reason: 'Autre dossier' })).toMatchObject({ instance: null });
  expect((await read(id, 'history'))[0]).toMatchObject({ is_correction: true });
});

test('a move out of court with judgment_notified_on is a judgment even if it has a reason, and the next move to court is an appeal', async () => {
  const id = await claim('REJECTED');
  await moved(id, { status: 'LITIGATION' });
  const judged = { status: 'REJECTED', status_reason: 'Moyens écartés', judgment_notified_on: '2026-03-02' };
  expect(await moved(id, judged)).toMatchObject({ instance: 'TA' });
  expect(await moved(id, { status: 'LITIGATION', status_reason: 'Pourvoi' })).toMatchObject({ instance: 'CE' });
  expect((await read(id, 'history')).map(({ is_correction }) => is_correction)).toEqual([false, false, false]);
});

test('a judgment without judgment_notified_on can be taken back with a reason, and the claim stays before the same court', async () => {
  const id = await claim('REJECTED');
  await moved(id, { status: 'LITIGATION' });
  await moved(id, { status: 'ACCEPTED', granted_amount: 100 });
  expect(await moved(id, { status: 'LITIGATION', status_reason: 'Autre dossier' })).toMatchObject({ instance: 'TA' });
  expect((await read(id, 'history'))[0]).toMatchObject({ from_status: 'ACCEPTED', is_correction: true });
});

describe('a step back out of court restores what the move to court took away, and the move made again brings back the court’s days:', () => {
  async function deadlines(id: string): Promise<unknown> {
    const line = `GET /api/deadlines?kind=court,appeal&passed=3660&within=3660`;
    const { json } = await service.ask(line, { token: tokens.ADMIN });
    return (json as Record<string, unknown>[]).flatMap(({ kind, due_on, reclamation_id }) =>
      reclamation_id === id ? [[kind, due_on]] : [],
    );
  }

  const reason = { status_reason: 'Autre dossier' };
  const before = { instance: 'TA', judgment_notified_on: '2026-03-02', appeal_deadline: '2026-07-01' };

  test.each([
    { appeal: 'typed', appeal_deadline: '2026-07-01' },
    { appeal: 'derived', appeal_deadline: '2026-05-04' },
  ])(
    'a step back from the next court restores judgment_notified_on and the $appeal appeal_deadline of the judgment before',
    async ({ appeal, appeal_deadline }) => {
      const id = await claim('REJECTED', { instance: `'TA'`, judgment_notified_on: `'2026-03-02'` });
      if (appeal === 'typed') await moved(id, { appeal_deadline });
      await moved(id, { status: 'LITIGATION', instance: 'CE', judgment_notified_on: null, appeal_deadline: null });
      expect(await deadlines(id)).toEqual([]);
      expect(await moved(id, { status: 'REJECTED', ...reason })).toMatchObject({ ...before, appeal_deadline });
      expect(await deadlines(id)).toEqual([['appeal', appeal_deadline]]);
      expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({
        ...{ instance: 'CE', judgment_notified_on: null, appeal_deadline: null },
      });
      expect(await deadlines(id)).toEqual([]);
      // The judgment of the Conseil d’État is another one, and no last day follows it.
      expect(await moved(id, { status: 'REJECTED' })).toMatchObject({ instance: 'CE', judgment_notified_on: null });
      expect(await deadlines(id)).toEqual([]);
    },
  );

  test('a step back from court to ACKNOWLEDGED clears the court and its days, and a new move to court restores them', async () => {
    const id = await claim('ACKNOWLEDGED', { received_on: 'app.paris_today() - 300' });
    await moved(id, { status: 'LITIGATION' });
    await moved(id, before);
    expect(await moved(id, { status: 'ACKNOWLEDGED', ...reason })).toMatchObject({
      ...{ instance: null, judgment_notified_on: null, appeal_deadline: null },
    });
    expect(await deadlines(id)).toEqual([]);
    expect(await moved(id, { status: 'LITIGATION' })).toMatchObject(before);
  });

  test('a step back from a second case before the Conseil d’État leaves a claim that the Conseil d’État judged, without a last day to appeal', async () => {
    const id = await claim('REJECTED', { instance: `'CE'` });
    expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({ instance: 'CE' });
    expect(await moved(id, { status: 'REJECTED', ...reason })).toMatchObject({ instance: 'CE' });
    expect(await deadlines(id)).toEqual([]);
  });

  test('a step back stores the court and the days that its request gives, and a new move to court restores the court of the mistaken move', async () => {
    const id = await claim('ACKNOWLEDGED', { received_on: 'app.paris_today() - 300' });
    await moved(id, { status: 'LITIGATION', instance: 'CAA' });
    const given = { instance: 'TA', judgment_notified_on: '2026-03-09', appeal_deadline: '2026-08-03' };
    await moved(id, { status: 'ACKNOWLEDGED', ...given, ...reason });
    expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({ instance: 'CAA', judgment_notified_on: null });
  });

  test('a new move to court does not restore days that the request of the step back cleared', async () => {
    const id = await claim('ACKNOWLEDGED', { received_on: 'app.paris_today() - 300' });
    await moved(id, { status: 'LITIGATION' });
    await moved(id, before);
    const none = { judgment_notified_on: null, appeal_deadline: null };
    await moved(id, { status: 'ACKNOWLEDGED', ...none, ...reason });
    expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({ instance: 'TA', ...none });
  });

  test('a judgment_notified_on that a user entered after a case was closed stays when the case is opened again', async () => {
    const id = await claim('LITIGATION', { instance: `'TA'` });
    await moved(id, { status: 'CLOSED' });
    await moved(id, { judgment_notified_on: '2026-03-02' });
    expect(await moved(id, { status: 'LITIGATION', ...reason })).toMatchObject({ judgment_notified_on: '2026-03-02' });
  });

  test('a judgment whose step back cleared judgment_notified_on has no judgment_notified_on when it is entered again', async () => {
    const id = await claim('LITIGATION', { instance: `'TA'` });
    await moved(id, { status: 'REJECTED', judgment_notified_on: '2026-03-02' });
    await moved(id, { status: 'LITIGATION', judgment_notified_on: null, ...reason });
    expect((await read(id, 'history'))[0]).toMatchObject({ is_correction: true });
    expect(await moved(id, { status: 'REJECTED' })).toMatchObject({ instance: 'TA', judgment_notified_on: null });
    expect(await deadlines(id)).toEqual([['appeal', null]]);
  });

  test('a move to court restores no days if another move came between it and the step back', async () => {
    const id = await claim('REJECTED', { instance: `'TA'`, judgment_notified_on: `'2026-03-02'` });
    await moved(id, { status: 'LITIGATION' });
    await moved(id, { status: 'REJECTED', ...reason });
    await moved(id, { status: 'ACCEPTED', granted_amount: 50 });
    expect(await moved(id, { status: 'LITIGATION' })).toMatchObject({ instance: 'CE', judgment_notified_on: null });
  });

  test('a step back from court returns to the court below if the previous release stored the move without a court', async () => {
    const id = await claim('REJECTED', { claim_type: `'CFE'`, instance: `'CAA'` });
    await moved(id, { status: 'LITIGATION' });
    await service.admin('update public.reclamation_history set court_before = null where reclamation_id = $1', [id]);
    expect(await moved(id, { status: 'REJECTED', ...reason })).toMatchObject({ instance: 'CAA' });
  });
});

test.each(['judgment_notified_on', 'appeal_deadline'])(
  'the move to court refuses a new %s, which would belong to the previous judgment, and accepts the stored one',
  async (field) => {
    const id = await claim('REJECTED', { instance: `'TA'`, judgment_notified_on: `'2026-03-02'` });
    expectError(await put(id, { status: 'LITIGATION', [field]: '2026-06-01' }), 'ERROR_CONFLICT', {
      [field]: 'is that of the previous judgment: enter it before the move to LITIGATION, or leave it out',
    });
    const { json } = await service.ask(`GET /api/reclamations/${id}`, { token: tokens.ADMIN });
    expect((await put(id, { ...(json as object), status: 'LITIGATION' })).json).toMatchObject({ [field]: null });
  },
);

test('an instance of the previous release, which calls app.moves without the record, gets the moves that depend on the status alone', async () => {
  const rows = await service.sql`select m.to_status, m.requires from app.moves('reclamations', 'SUBMITTED') as m`;
  expect(rows.map(({ to_status }) => String(to_status))).toEqual(
    words('ACCEPTED ACKNOWLEDGED PARTIALLY_ACCEPTED REGULARISATION_REQUESTED REJECTED WITHDRAWN'),
  );
});
