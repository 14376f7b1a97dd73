import { cell } from './page.ts';

/** A JSON Schema, as far as the languages use it. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Where a named form is told of: `duration` stands at `/reference/values.md#duration`. */
export type Places = (name: string) => string;

/** One key of a map, with those inside it after it. */
interface Row {
  readonly key: string;
  readonly schema: Schema;
  readonly needed: boolean;
}

/** The forms that have a name; the language's own names alone are told of. */
export const refName = ({ $ref }: Schema): string | undefined =>
  $ref?.startsWith(DEFINED) ? $ref.slice(DEFINED.length) : undefined;
const DEFINED = '#/$defs/';
/** A key of the head that has the same form. */
const SAME = '#/properties/';

/** A map's keys as a table: what each is, whether it must be there, and what holds without it. */
export function tableOf(schema: Schema, root: Schema, places: Places): string {
  const rows = rowsOf(schema);
  return [
    '| key | type | default | |',
    '|---|---|---|---|',
    ...rows.map(({ key, schema: of, needed }) => {
      const absent = needed ? '*needed*' : of.default === undefined ? '' : code(of.default);
      return `| \`${key}\` | ${typeOf(of, places)} | ${absent} | ${cell(escaped(meaning(of, root)))} |`;
    }),
  ].join('\n');
}

/** Whether a value of this form may be a map with keys of its own. */
export const hasKeys = (schema: Schema): boolean => rowsOf(schema).length > 0;

/** All keys under a schema, in the order of its definition: `replicaSet`, `replicaSet.members` … */
function rowsOf(schema: Schema, path = ''): Row[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]): Row[] => {
    const key = `${path}${name}`;
    return [
      { key, schema: property, needed: schema.required?.includes(name) ?? false },
      ...rowsOf(property, `${key}.`),
    ];
  });
  const { additionalProperties: others } = schema;
  return [
    ...own,
    ...(schema.anyOf ?? []).flatMap((form) => rowsOf(form, path)),
    ...(typeof schema.items === 'object' ? rowsOf(schema.items, path) : []),
    ...(typeof others === 'object' && others.properties ? rowsOf(others, `${path}NAME.`) : []),
  ];
}

/** What a key says of itself, or what the form that it has says. */
function meaning(schema: Schema, root: Schema): string {
  const name = refName(schema);
  return schema.description ?? (name === undefined ? '' : (root.$defs?.[name]?.description ?? ''));
}

/** It may stand for every number, which is said once, where values are told of. */
const EXTENDED_NUMBER = 'extendedNumber';

/** A type in words: `a list of [document](…)`. */
export function typeOf(schema: Schema, places: Places): string {
  const name = refName(schema);
  if (name !== undefined) return `[${name}](${places(name)})`;
  if (schema.$ref?.startsWith(SAME)) return `as \`${schema.$ref.slice(SAME.length)}\``;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) {
    const forms = schema.anyOf.filter((form) => refName(form) !== EXTENDED_NUMBER);
    return [...new Set(forms.map((form) => typeOf(form, places)))].join(' or ');
  }
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return `whole number${limits(schema)}`;
    case 'number':
      return `number${limits(schema)}`;
    case 'array':
      return schema.prefixItems !== undefined
        ? `\\[${schema.prefixItems.map((item) => typeOf(item, places)).join(', ')}\\]`
        : `list of ${typeof schema.items === 'object' ? typeOf(schema.items, places) : 'anything'}`;
    case 'object':
      return typeof schema.additionalProperties === 'object' && schema.additionalProperties.type !== undefined
        ? `map of names to ${typeOf(schema.additionalProperties, places)}`
        : 'map';
    default:
      return 'any value';
  }
}

function limits({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const greatest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const least = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`;
  if (least !== undefined && greatest !== undefined) return ` from ${least} to ${greatest}`;
  if (least !== undefined) return ` ≥ ${least}`;
  return greatest === undefined ? '' : ` ≤ ${greatest}`;
}

/** A value as a scenario has it. */
const code = (value: unknown): string => `\`${cell(typeof value === 'string' ? value : JSON.stringify(value))}\``;

/** Descriptions are plain text, in which maps and placeholders stand as they are written. */
export const escaped = (text: string): string => text.replace(/[<_*[\]`{}]/g, (sign) => `&#${sign.charCodeAt(0)};`);
