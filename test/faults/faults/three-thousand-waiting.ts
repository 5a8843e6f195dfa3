import { waiting } from '../waiting.ts';

export const fault = waiting('three-thousand-waiting', 3_000);
