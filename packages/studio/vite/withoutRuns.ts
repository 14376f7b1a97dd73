import type { Plugin } from 'vite';
import { COMMANDS_LEFT_OUT, refusing } from './leftOut.ts';

/** Lets commands be known that are not carried out: the `run` of each refuses, and nothing is left of what it needed. */
export function withoutRuns(): Plugin {
  return {
    name: 'replsim:without-runs',
    enforce: 'pre',
    transform(code, id) {
      if (!COMMANDS_LEFT_OUT.some((file) => id.endsWith(`/packages/${file}`))) return;
      const runs: [from: number, to: number][] = [];
      findRuns(this.parse(code, { lang: 'ts' }), runs);
      if (runs.length === 0) this.error(`${id} defines no command in a way that is known here`);
      const without = runs
        .sort(([a], [b]) => b - a)
        .reduce((text, [from, to]) => `${text.slice(0, from)}run: $refused${text.slice(to)}`, code);
      // Names that no file has already.
      const refused = refusing('this command')
        .replaceAll('CommandError', '$Error')
        .replace('{ $Error }', '{ CommandError as $Error }');
      return `${refused.replaceAll('refuse ', '$refuse ')}\nfunction* $refused() {\n  $refuse();\n}\n${without}`;
    },
  };
}

/** Finds each property `run` of an object. @param found gets where it begins and ends */
function findRuns(node: unknown, found: [from: number, to: number][]): void {
  if (Array.isArray(node)) for (const each of node) findRuns(each, found);
  else if (typeof node === 'object' && node !== null) {
    if (isObject(node))
      for (const { start, end, key } of node.properties) if (key?.name === 'run') found.push([start, end]);
    for (const each of Object.values(node)) findRuns(each, found);
  }
}

interface AnObject {
  readonly properties: readonly {
    readonly start: number;
    readonly end: number;
    readonly key?: { readonly name?: string };
  }[];
}

const isObject = (node: object): node is AnObject => (node as { type?: string }).type === 'ObjectExpression';
