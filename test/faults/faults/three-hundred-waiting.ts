import { waiting } from '../waiting.ts';

export const fault = waiting('three-hundred-waiting', 300);
