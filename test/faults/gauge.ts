import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * A test measures the service by loading this file into the service’s process. On each SIGUSR2 the process then writes
 * its memory use, and how many files and connections it has open, to the file at FAULTS_GAUGE.
 */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  writeFileSync(process.env['FAULTS_GAUGE'] ?? '', JSON.stringify({ heapUsed, external, handles }));
});
