import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

// GitHub's own parser, the one that its editors use, says what is wrong with workflows and actions.

type Parsers = typeof import('./githubParsers.ts');

let loaded: Promise<Parsers> | undefined;

/** It imports JSON in a way that only bundlers know, so it is bundled first. */
async function load(): Promise<Parsers> {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const dir = mkdtempSync(join(here, '../../../node_modules/.github-parsers-'));
  try {
    const input = join(here, 'githubParsers.ts');
    await build({ input, platform: 'node', logLevel: 'silent', output: { dir, entryFileNames: 'parsers.mjs' } });
    return await import(/* @vite-ignore */ pathToFileURL(join(dir, 'parsers.mjs')).href);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** What is wrong with a workflow, or with an action. @param text the whole file */
export async function githubMistakes(kind: 'workflow' | 'action', text: string): Promise<string[]> {
  loaded ??= load();
  const { NoOperationTraceWriter, parseAction, parseWorkflow } = await loaded;
  const parse = kind === 'workflow' ? parseWorkflow : parseAction;
  const { context } = parse({ name: `${kind}.yml`, content: text }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}
