import { writeFile } from 'node:fs/promises';
import { PAGE, pageOfLimits } from './page.ts';

/* `npm run limits:page` */

await writeFile(PAGE, await pageOfLimits());
