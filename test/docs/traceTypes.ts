import { read } from './markdown.ts';

// The types of the trace, read as text: unions of objects, and interfaces. Biome writes them all in one manner.

/** A field's name, with `?` if it may be absent, and its type, as a reader of JSON sees it. */
export type Fields = ReadonlyMap<string, string>;

const SOURCES = ['trace', 'messages', 'opTime'].map((name) =>
  read(`packages/protocol/src/${name}.ts`).replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, ''),
);

/** The events of a union by their type; those that share an object have the same fields. */
export function eventsOf(union: string): Map<string, Fields> {
  const text = declared(`export type ${union} =`, ';\n\n');
  const events = new Map<string, Fields>();
  for (const object of objectsIn(text)) {
    const fields = fieldsOf(object);
    const types = fields.get('type') ?? '';
    fields.delete('type');
    for (const [, type] of types.matchAll(/'(\w+)'/g)) events.set(type!, fields);
  }
  return events;
}

export function fieldsOfInterface(name: string): Fields {
  return fieldsOf(declared(`export interface ${name} {`, '\n}'));
}

function declared(from: string, to: string): string {
  const source = SOURCES.find((text) => text.includes(from));
  if (source === undefined) throw new Error(`no source has: ${from}`);
  const start = source.indexOf(from) + from.length;
  return source.slice(start, source.indexOf(to, start));
}

/** What stands between outer braces. */
function objectsIn(text: string): string[] {
  return split(text, '|').flatMap((part) => (part.trim().startsWith('{') ? [part.trim().slice(1, -1)] : []));
}

function fieldsOf(object: string): Map<string, string> {
  const fields = split(object, ';').flatMap((field) => {
    const [, name, type] = /^\s*readonly (\w+\??): ([\s\S]*)$/.exec(field) ?? [];
    if (name === undefined) return [];
    // What is undefined is not in the JSON.
    const [, whenThere] = /^(.*) \| undefined$/.exec(plain(type!)) ?? [];
    return [whenThere === undefined ? ([name, plain(type!)] as const) : ([`${name}?`, whenThere] as const)];
  });
  return new Map(fields);
}

/** As it is in JSON: nothing is readonly there. */
function plain(type: string): string {
  const oneLine = type.replaceAll(/\s+/g, ' ').trim().replace(/^\| /, '').replaceAll('readonly ', '');
  return oneLine
    .replaceAll(/Readonly<(Record<[^<>]*>)>/g, '$1')
    .replaceAll(/\((\w+\[\])\)\[\]/g, '$1[]')
    .replaceAll('; }', ' }');
}

/** At a mark that stands in no brackets. */
function split(text: string, mark: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if ('{[(<'.includes(char)) depth += 1;
    if ('}])>'.includes(char)) depth -= 1;
    if (char === mark && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}
