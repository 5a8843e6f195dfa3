import { readFileSync } from 'node:fs';

/*
 * A test process imports this file before the service. The clock of the service then differs by the milliseconds in the
 * file at FAULTS_CLOCK, which each SIGUSR2 makes it read again. The service takes all its times from Date.
 */

const file = process.env['FAULTS_CLOCK'] ?? '';
const RightDate = Date;
let wrongBy = 0;

process.on('SIGUSR2', () => {
  wrongBy = Number(readFileSync(file, 'utf8'));
});

const now = (): number => RightDate.now() + wrongBy;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});
