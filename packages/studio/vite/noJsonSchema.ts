import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Where zod turns schemas into JSON Schema, which every schema of it refers to. */
const OF_ZOD = /\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/;
/** Where the language of scenarios is written down. */
const LANGUAGE = /\/scenario\/src\/(schema|checks|steps|language)\/\w+\.ts$/;

/**
 * Leaves away what the language's JSON Schema is made of: how zod makes it, and what keys are described as. The editor has it as it was made
 * already, see `src/later/codeMirror.ts`, and a run checks scenarios without it.
 */
export function noJsonSchema(): Plugin {
  return {
    name: 'replsim:no-json-schema',
    enforce: 'pre',
    load: (id) => (OF_ZOD.test(id) ? withoutBodies(readFileSync(id, 'utf8'), id) : undefined),
    transform(code, id) {
      if (!LANGUAGE.test(id)) return;
      const described: [from: number, to: number][] = [];
      findDescriptions(this.parse(code, { lang: 'ts' }), described);
      return described
        .sort(([a], [b]) => b - a)
        .reduce((text, [from, to]) => text.slice(0, from) + text.slice(to), code);
    },
  };
}

/** The same names, and whoever calls one is told. Those that begin with `create` are called for each schema, and what they create is not. */
function withoutBodies(code: string, id: string): string {
  const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = '']) => name);
  if (names.length === 0) throw new Error(`${id} exports nothing in the way that is known here`);
  return [
    `function absent() { throw new Error('the page makes no JSON Schema of what it has: the editor has one'); }`,
    ...names.map((name) => `export const ${name} = ${name.startsWith('create') ? '() => absent' : 'absent'};`),
  ].join('\n');
}

/** Finds each `.describe(…)` that is called on something. @param found gets where it begins and ends */
function findDescriptions(node: unknown, found: [from: number, to: number][]): void {
  if (Array.isArray(node)) for (const each of node) findDescriptions(each, found);
  else if (typeof node === 'object' && node !== null) {
    if (isDescription(node)) found.push([node.callee.object.end, node.end]);
    for (const each of Object.values(isDescription(node) ? node.callee : node)) findDescriptions(each, found);
  }
}

interface Description {
  readonly end: number;
  readonly callee: { readonly object: { readonly end: number } };
}

function isDescription(node: object): node is Description {
  const { type, callee } = node as { type?: string; callee?: { type: string; property: { name?: string } } };
  return type === 'CallExpression' && callee?.type === 'MemberExpression' && callee.property.name === 'describe';
}
