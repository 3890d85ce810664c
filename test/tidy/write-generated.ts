// Writes every generated file anew: `node_modules/.bin/node test/tidy/write-generated.ts`.
import { writeFileSync } from 'node:fs';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { generated } from './generated.ts';

for (const [path, make] of Object.entries(generated)) writeFileSync(checkoutPath(path), await make());
