import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { strToU8, zlibSync } from 'fflate';
import type { Plugin } from 'vite';
import { parse } from 'yaml';

/** The folder of all scenarios. */
const SCENARIOS = new URL('../../../scenarios/', import.meta.url);

/**
 * Writes all scenarios beside the page, as a script that hands over one packed string: a page from `file:` may read no file, and may load a
 * script. The page asks for it when somebody wants to see them, so that nobody waits for it.
 */
export function scenarioShelf(): Plugin {
  return {
    name: 'replsim:scenario-shelf',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'scenarios.js', source: shelfScript() });
    },
  };
}

function shelfScript(): string {
  const paths = readdirSync(fileURLToPath(SCENARIOS), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.yaml'))
    .sort();
  const shelved = paths.map((path) => {
    const text = readFileSync(new URL(path, SCENARIOS), 'utf8');
    return { path, name: String(parse(text).name), text };
  });
  const packed = zlibSync(strToU8(JSON.stringify(shelved)), { level: 9 });
  return `globalThis.replsimScenarios = ${JSON.stringify(Buffer.from(packed).toString('base64'))};\n`;
}
