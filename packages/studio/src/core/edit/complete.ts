import type { Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** What of JSON Schema the language's own schema uses, as far as it says what may be written. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly description?: string;
}

/** Reads a text as YAML, as far as it can be read. @returns the library's nodes */
export type ParseYaml = (text: string) => unknown;

/** Something that may be written where the cursor is. */
export interface Completion {
  readonly label: string;
  /** What is written in the place of the word. */
  readonly insert: string;
  readonly kind: 'key' | 'value';
  readonly description?: string;
}

/** Stands in the text where somebody writes, so that it can be found again in what is parsed. */
const CURSOR = 'replsimCursor';

type Path = readonly (string | number)[];

/** Where the cursor stands: behind which keys, and which are there already beside it. */
interface Place {
  readonly path: Path;
  readonly kind: 'key' | 'value';
  readonly present: readonly string[];
}

/**
 * What the schema lets somebody write at a place of a text.
 * @param from where the word begins that is being written @param to where it ends, which is where the cursor is
 * @param parse handed over, as the page has what parses already
 */
export function completionsAt(
  text: string,
  from: number,
  to: number,
  schema: Schema,
  parse: ParseYaml,
): readonly Completion[] {
  if (!isOpen(text, from, to)) return [];
  // A key, and where there can be none, a value.
  for (const mark of [`${CURSOR}: 0`, CURSOR]) {
    const place = find(parse(text.slice(0, from) + mark + text.slice(to)), []);
    const found = place ? offeredAt(place, schema) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a word may stand there that is more than a part of a comment, or of what is written already. */
function isOpen(text: string, from: number, to: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  const [rest = ''] = text.slice(to).split('\n', 1);
  return !/(^|\s)#/.test(line) && !/^\s*[^\s,}\]]/.test(rest);
}

function offeredAt({ path, kind, present }: Place, schema: Schema): readonly Completion[] {
  const here = path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((each) => stepInto(each, step, schema)),
    alternatives(schema, schema),
  );
  const found = here.flatMap((each) => (kind === 'key' ? keysOf(each, schema, present) : valuesOf(each)));
  return [...new Map(found.map((each) => [each.label, each])).values()];
}

function find(node: unknown, path: Path): Place | undefined {
  if (isMap(node)) {
    const keys = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
    for (const [i, { value }] of node.items.entries()) {
      const key = keys[i]!;
      if (key === CURSOR) return { path, kind: 'key', present: keys.filter((each) => each !== CURSOR) };
      const place = find(value, [...path, key]);
      if (place) return place;
    }
  } else if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) {
      const place = find(item, [...path, i]);
      if (place) return place;
    }
  } else if (isScalar(node) && node.value === CURSOR) {
    return { path, kind: 'value', present: [] };
  }
  return undefined;
}

/** A schema, or those between which it lets one choose. */
function alternatives(schema: Schema, root: Schema): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const named = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
    return named ? alternatives(named, root) : [];
  }
  return schema.anyOf ? schema.anyOf.flatMap((each) => alternatives(each, root)) : [schema];
}

function stepInto(schema: Schema, step: string | number, root: Schema): readonly Schema[] {
  const { properties, additionalProperties, items } = schema;
  const inner =
    typeof step === 'number'
      ? items
      : (properties?.[step] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined));
  return inner ? alternatives(inner, root) : [];
}

function keysOf({ properties = {} }: Schema, root: Schema, present: readonly string[]): Completion[] {
  return Object.entries(properties)
    .filter(([key]) => !present.includes(key))
    .map(([key, schema]) => ({ label: key, insert: `${key}: `, kind: 'key', ...described(schema, root) }));
}

function valuesOf(schema: Schema): Completion[] {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : schema.type === 'boolean' ? [true, false] : []);
  return values.map((value) => ({
    label: String(value),
    // What would be read as a number, unless it is quoted.
    insert: typeof value === 'string' && !Number.isNaN(Number(value)) ? `"${value}"` : String(value),
    kind: 'value',
    ...(schema.description !== undefined && { description: schema.description }),
  }));
}

function described(schema: Schema, root: Schema): Pick<Completion, 'description'> {
  const description = schema.description ?? alternatives(schema, root)[0]?.description;
  return description === undefined ? {} : { description };
}

// As the library itself tells its nodes, which are made elsewhere: the editor's script needs none of it besides.
const NODE_TYPE = Symbol.for('yaml.node.type');
const typeOf = (node: unknown) => (node as Readonly<Record<symbol, unknown>> | null | undefined)?.[NODE_TYPE];
const isMap = (node: unknown): node is YAMLMap => typeOf(node) === Symbol.for('yaml.map');
const isSeq = (node: unknown): node is YAMLSeq => typeOf(node) === Symbol.for('yaml.seq');
const isScalar = (node: unknown): node is Scalar => typeOf(node) === Symbol.for('yaml.scalar');
