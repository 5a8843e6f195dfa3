import { parentPort } from 'node:worker_threads';
import { describeInterface } from '../http/openapi.ts';
import { allEndpoints, TAGS } from './index.ts';

parentPort?.postMessage(JSON.stringify(describeInterface(allEndpoints, TAGS)));
