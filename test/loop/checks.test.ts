import { expect, test } from '@jest/globals';
import { wrongUpdates } from './checks.ts';
import { wrongIn } from './reminders.ts';

const updateOf = (...clients: string[]) => ({
  ...{ at: 1, subject: 'idp|somebody', role: 'CLIENT', clients, isBlocked: false },
});
/** A client that was taken and given back between two others. */
const STATES = ['CLIENT a active', 'CLIENT a b active', 'CLIENT a active', 'CLIENT c active'];

test('the provider may be told rights that were there twice, before and after what came between', () => {
  const inOrder = [updateOf('a'), updateOf('a', 'b'), updateOf('a'), updateOf('c')];
  expect(wrongUpdates(inOrder, STATES, 'CLIENT c active')).toEqual([]);
});

test('the provider may not be told what was overtaken, nor what never was, nor be left with another state', () => {
  const late = [updateOf('a'), updateOf('c'), updateOf('a', 'b')];
  expect(wrongUpdates(late, STATES, 'CLIENT c active')).toEqual([
    'the provider was told state 1 after state 3',
    'the provider has other rights in the end',
  ]);
  expect(wrongUpdates([updateOf('z')], STATES, 'CLIENT c active')).toContain(
    'the provider was told rights that never were',
  );
});

test('a user and a day may have a mail for each attempt that nobody answered and the one that was, and no fewer than one', () => {
  const sent = { email: 'a@b.example', day: '2026-01-01', state: 'SENT', cut_off: 1, is_last: true };
  expect([wrongIn(sent, 1), wrongIn(sent, 2)]).toEqual([[], []]);
  expect(wrongIn(sent, 3)).toEqual(['a@b.example on 2026-01-01 got 3 mails, with 1 cut off']);
  expect(wrongIn({ ...sent, cut_off: 0 }, 2)).toHaveLength(1);
  expect(wrongIn(sent, 0)).toEqual(['a@b.example on 2026-01-01 got no mail']);
  const givenUp = { ...sent, state: 'GIVEN_UP' };
  expect([wrongIn({ ...givenUp, is_last: false }, 0), wrongIn(givenUp, 1)]).toEqual([
    [],
    ['a@b.example on 2026-01-01 is GIVEN_UP when all is quiet'],
  ]);
  expect(wrongIn({ ...sent, day: null, state: null, cut_off: null }, 0)).toHaveLength(2);
});
