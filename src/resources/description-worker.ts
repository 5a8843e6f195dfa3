import { parentPort } from 'node:worker_threads';
import { readColumnComments } from '../db/comments.ts';
import { describeInterface, enumLabelsOf } from '../http/openapi.ts';
import { allEndpoints, TAGS } from './index.ts';

const description = describeInterface(allEndpoints, TAGS, await readColumnComments());
parentPort?.postMessage([JSON.stringify(description), JSON.stringify(enumLabelsOf(description))]);
