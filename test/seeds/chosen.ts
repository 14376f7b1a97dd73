import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A scenario, and where it stands, from the top of the repository. */
export interface Text {
  readonly path: string;
  readonly text: string;
}

/** Whether a scenario is about one run alone: `seed: 7 # why`. One that has a seed and no such comment holds for any. */
export const isOfOneSeed = ({ text }: Text) => /^seed: *\d+ +# *\S/m.test(text);

/** All scenarios of the repository. @param root its top */
export function scenariosOf(root: string): Text[] {
  return filesOf(root, 'scenarios', '.yaml').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** What the pages show as a scenario: the files that they name, and blocks that are played. @param root the repository's top */
export function examplesOf(root: string): Text[] {
  const found: Text[] = [];
  for (const page of ['README.md', ...filesOf(root, 'docs', '.md')]) {
    const markdown = readFileSync(join(root, page), 'utf8');
    for (const [, what, file = '', block = ''] of markdown.matchAll(SHOWN)) {
      if (what === 'play')
        found.push({ path: `${page.replaceAll(/\W+/g, '-')}-${found.length + 1}.yaml`, text: block });
      else if (file.startsWith('scenarios/')) found.push({ path: file, text: block });
    }
  }
  return found;
}

/** What `test/docs` knows these comments by. */
const SHOWN = /^<!-- (play|scenario)(?:: (\S+))? -->\n+```yaml\n([\s\S]*?)^```$/gm;

function filesOf(root: string, folder: string, ending: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}
