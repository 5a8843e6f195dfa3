import { parentPort } from 'node:worker_threads';
import { readColumnComments } from '../db/comments.ts';
import { describeInterface, collectEnumLabels } from '../http/openapi.ts';
import { allEndpoints, TAG_DESCRIPTIONS } from './index.ts';

const description = describeInterface(allEndpoints, TAG_DESCRIPTIONS, await readColumnComments());
parentPort?.postMessage([JSON.stringify(description), JSON.stringify(collectEnumLabels(description))]);
