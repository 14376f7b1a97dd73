import { cpSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { toFragment } from '../../src/core/edit/fragment.ts';

/** Puts the page into a folder, as `npm run build` makes it. */
export function putPage(folder: string): void {
  cpSync(inject('builtPage'), folder, { recursive: true });
}

/** A link to a scenario of the folder in the page that was put there. */
export function linkTo(folder: string, file = 'election/failover-on-kill'): string {
  const text = readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
  return `${pathToFileURL(folder).href}/index.html#${toFragment({ text, atMicros: 0 })}`;
}
