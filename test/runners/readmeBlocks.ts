import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from './packed.ts';

/**
 * Writes what the README shows as TypeScript into a project, each block a file of its own.
 * @returns the names of the files
 */
export function writeReadmeBlocks(project: string): string[] {
  const readme = readFileSync(join(published, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code], i) => {
    const file = `readme${i}.mts`;
    writeFileSync(join(project, file), code!);
    return file;
  });
}
