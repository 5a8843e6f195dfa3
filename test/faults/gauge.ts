import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/* Imported before the service: at each SIGUSR2 it writes what it holds to the file at FAULTS_GAUGE. */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  writeFileSync(process.env['FAULTS_GAUGE'] ?? '', JSON.stringify({ heapUsed, external, handles }));
});
