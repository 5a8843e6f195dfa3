import { expect, test } from '@jest/globals';
import { toldWrongly } from './checks.ts';

const told = (...clients: string[]) => ({
  ...{ at: 1, subject: 'idp|somebody', role: 'CLIENT', clients, isBlocked: false },
});
/** A client that was taken and given back between two others. */
const STATES = ['CLIENT a active', 'CLIENT a b active', 'CLIENT a active', 'CLIENT c active'];

test('the provider may be told rights that were there twice, before and after what came between', () => {
  const inOrder = [told('a'), told('a', 'b'), told('a'), told('c')];
  expect(toldWrongly(inOrder, STATES, 'CLIENT c active')).toEqual([]);
});

test('the provider may not be told what was overtaken, nor what never was, nor be left with another state', () => {
  const late = [told('a'), told('c'), told('a', 'b')];
  expect(toldWrongly(late, STATES, 'CLIENT c active')).toEqual([
    'the provider was told state 1 after state 3',
    'the provider has other rights in the end',
  ]);
  expect(toldWrongly([told('z')], STATES, 'CLIENT c active')).toContain(
    'the provider was told rights that never were',
  );
});
