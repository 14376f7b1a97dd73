import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { forecastJsonSchema } from './forecast/forecastSchema.ts';
import { scenarioJsonSchema } from './language/scenarioSchema.ts';

// `npm run schema` at the root; a test fails when a file is not what its parser says.
write('schema.json', scenarioJsonSchema());
write('forecast.schema.json', forecastJsonSchema());

function write(name: string, schema: Record<string, unknown>): void {
  writeFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), `${JSON.stringify(schema, undefined, 2)}\n`);
}
