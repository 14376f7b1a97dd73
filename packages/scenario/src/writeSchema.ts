import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scenarioJsonSchema } from './schema.ts';

// `npm run schema` at the root; a test fails when the file is not what the parser says.
const path = fileURLToPath(new URL('../schema.json', import.meta.url));
writeFileSync(path, `${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`);
