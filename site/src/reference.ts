import { CHECK_KEYS, forecastJsonSchema, STEP_GROUPS, scenarioJsonSchema } from '@replsim/scenario';
import type { Page } from './page.ts';
import { escaped, hasKeys, type Places, refName, type Schema, tableOf, typeOf } from './schemaTable.ts';

const FOLDER = 'reference';

/** What all steps that speak as a client take. */
const ANY_CLIENT = 'run';
const OF_CLIENTS = ['on', 'as', 'matches', 'error', 'took'];

/** The languages of scenarios and forecasts, key by key, as their parsers define them. */
export function referencePages(
  scenario: Schema = scenarioJsonSchema(),
  forecast: Schema = forecastJsonSchema(),
): Page[] {
  return [
    { path: `${FOLDER}/scenario.md`, text: headPage(scenario) },
    { path: `${FOLDER}/steps.md`, text: stepsPage(scenario) },
    { path: `${FOLDER}/checks.md`, text: checksPage(scenario) },
    { path: `${FOLDER}/values.md`, text: valuesPage({ ...scenario.$defs, ...forecast.$defs }) },
    { path: `${FOLDER}/forecast.md`, text: forecastPage(forecast) },
  ];
}

/** Forms that are pages or chapters of their own. */
const OWN: Readonly<Record<string, string>> = {
  member: `/${FOLDER}/scenario.md#a-member`,
  step: `/${FOLDER}/steps.md`,
  check: `/${FOLDER}/checks.md`,
};
const places: Places = (name) => OWN[name] ?? `/${FOLDER}/values.md#${name.toLowerCase()}`;

function headPage(schema: Schema): string {
  return join(
    '# The scenario file',
    'Every key of a scenario, with what holds where it is missing. This page is made from the definition that the parser reads by; ' +
      'editors have it as a [JSON Schema](/schema.json). The [guide](/guide/scenarios.md) shows how the parts go together.',
    '## The head',
    tableOf(schema, schema, places),
    '## A member',
    'An entry of `replicaSet.members` or `replicaSet.spares`; a name alone is enough.',
    tableOf(definition(schema, 'member'), schema, places),
  );
}

function stepsPage(schema: Schema): string {
  const steps = definition(schema, 'step').properties ?? {};
  const shared = propertiesOf(step(steps, ANY_CLIENT));
  return join(
    '# Steps',
    'A step is a map with one key, which says what it does: `- kill: n1`. The [lessons](/lessons/index.md) show them at work. This page is made from the definition that the parser reads by.',
    STEP_GROUPS.map(
      ([title, names]) => `- ${title}: ${names.map((name) => `[\`${name}\`](#${name.toLowerCase()})`).join(', ')}`,
    ).join('\n'),
    '## What every client step may say',
    'Steps that send a command as a client take these beside their own keys. A step fails with its command, unless `error` asks for that.',
    tableOf({ properties: Object.fromEntries(OF_CLIENTS.map((key) => [key, step(shared, key)])) }, schema, places),
    '## The instant of a step',
    'Steps of recordings have a second key:',
    tableOf({ properties: { at: step(steps, 'at') } }, schema, places),
    ...STEP_GROUPS.flatMap(([title, names]) => [
      `## ${title}`,
      ...names.map((name) => chapter(name, step(steps, name), schema, shared)),
    ]),
  );
}

function chapter(name: string, schema: Schema, root: Schema, shared: Readonly<Record<string, Schema>>): string {
  const description = schema.description ?? definition(root, refName(schema) ?? '').description ?? '';
  const own = ownForm(schema);
  const map = own && withoutShared(own, shared, root);
  const keys = map && hasKeys(map) ? tableOf(map, root, places) : undefined;
  return join(
    `### ${name}`,
    `${escaped(description)}.`,
    `Value: ${typeOf(schema, places)}${own && map !== own ? beside(name, keys !== undefined) : '.'}`,
    ...(keys === undefined ? [] : [keys]),
  );
}

const isCheck = (name: string): boolean => ['eventually', 'always', 'sometimes'].includes(name);

const beside = (name: string, hasOthers: boolean): string =>
  isCheck(name)
    ? `, with the keys of [a check](/${FOLDER}/checks.md)${hasOthers ? ' and:' : '.'}`
    : ', with what [every client step may say](#what-every-client-step-may-say) and:';

/** The maps of a step, as one that has the keys of all. */
function ownForm(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return schema;
  const maps = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  return maps.length === 0 ? undefined : maps.length === 1 ? maps[0] : { anyOf: maps };
}

/** The keys that are told of elsewhere stay out: they have one place. */
function withoutShared(schema: Schema, shared: Readonly<Record<string, Schema>>, root: Schema): Schema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const check = propertiesOf(definition(root, 'check'));
  const elsewhere = Object.keys(check).every((key) => key in properties)
    ? check
    : OF_CLIENTS.every((key) => key in properties)
      ? pick(shared, OF_CLIENTS)
      : {};
  const own = Object.entries(properties).filter(([key, property]) => !same(property, elsewhere[key]));
  return own.length === Object.keys(properties).length ? schema : { ...schema, properties: Object.fromEntries(own) };
}

function checksPage(schema: Schema): string {
  return join(
    '# Checks',
    '`expect` looks now, `eventually` lets time run until the check holds, `always` lets time run and looks throughout, `sometimes` looks now and fails no run. They take the ' +
      `same keys; a check asks one thing of a member (${inWords(CHECK_KEYS.ofMember, 'or')}) or of what clients found out ` +
      `(${inWords(CHECK_KEYS.ofOthers, 'or')}), and ${inWords(CHECK_KEYS.besideAny, 'and')} may stand beside it. ` +
      'This page is made from the definition that the parser reads by.',
    tableOf(definition(schema, 'check'), schema, places),
    'What the numbers of `ttl` are stands in [How late TTL deletes](/packages/scenario.md#how-late-ttl-deletes).',
  );
}

function valuesPage(forms: Readonly<Record<string, Schema>>): string {
  return join(
    '# Values',
    'Forms that several keys take.',
    ...Object.entries(forms)
      .filter(([name]) => !(name in OWN))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, form]) => [
        `## ${name}`,
        `${escaped(form.description ?? '')}.`,
        `Written as: ${typeOf(form, places)}.`,
        ...(hasKeys(form) ? [tableOf(form, { $defs: forms }, places)] : []),
      ]),
  );
}

function forecastPage(schema: Schema): string {
  return join(
    '# Forecasts',
    'Every key of a forecast: `replsim forecast FILE` runs a rate of inserts, TTL settings and outages on a real set, for a day or a week ' +
      'of virtual time. This page is made from the definition that the parser reads by; editors have it as a ' +
      '[JSON Schema](/forecast.schema.json). [The guide to TTL](/guide/ttl.md) has an example.',
    tableOf(schema, schema, places),
  );
}

function inWords(keys: readonly string[], and: string): string {
  const words = keys.map((key) => `\`${key}\``);
  return `${words.slice(0, -1).join(', ')} ${and} ${words.at(-1)}`;
}

function definition(schema: Schema, name: string): Schema {
  const found = schema.$defs?.[name];
  if (found === undefined) throw new Error(`the definition has no ${name}`);
  return found;
}

function step(steps: Readonly<Record<string, Schema>>, name: string): Schema {
  const found = steps[name];
  if (found === undefined) throw new Error(`the definition has no ${name}`);
  return found;
}

const propertiesOf = (schema: Schema): Readonly<Record<string, Schema>> => schema.properties ?? {};
const pick = (all: Readonly<Record<string, Schema>>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, step(all, key)]));
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const join = (...parts: readonly string[]): string => parts.join('\n\n');
