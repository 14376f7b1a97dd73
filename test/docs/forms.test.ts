import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidScenario, parseScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { read, root } from './markdown.ts';

// Each form of the language that a table of the guides shows is one that the parser reads. What a form leaves out (a key without a value, `…`,
// a word in capitals) is filled in here, as a reader would.

type Fields = Readonly<Record<string, unknown>>;

/** By the first cell of a table's head: a file in which a form of its rows stands. */
const TABLES: Readonly<Record<string, (form: Fields) => Fields>> = {
  'top-level key': (form) => ({ steps: [{ act: 'A chapter' }, { advance: '1s' }], ...form }),
  step: withSteps,
  fault: withSteps,
  'way in': withSteps,
  key: (form) => withSteps({ clients: form }),
  '`answer`': (form) => withSteps({ ask: { ...REST.ask, answer: form, ...CHOICES[Object.keys(form)[0]!] } }),
  check: (form) => withSteps({ expect: form }),
};

/** What a form may speak of has been done. */
function withSteps(step: Fields): Fields {
  const before = [
    { insert: { as: 'NAME', into: 'app.orders', document: {} } },
    { workload: { ...REST.workload, name: 'w' } },
    { watch: { name: 's', in: 'app.orders' } },
    { startTransaction: { session: 's0' } },
    { kill: 'n3' },
  ];
  return { steps: [...before, step] };
}

/** What the keys of a map need besides those that a form shows, and what stands for `…`. */
const REST: Readonly<Record<string, Fields>> = {
  always: { for: '1s', primary: 'any' },
  ask: { question: 'Which?', answer: 'primary' },
  disk: { on: 'n1' },
  eventually: { within: '1s', primary: 'any' },
  failPoint: { on: 'n1', name: 'hangTTLMonitorWithLock', mode: 'alwaysOn' },
  link: { between: ['n1', 'n2'] },
  repeat: {},
  rolling: { restart: {} },
  run: { command: { ping: 1 } },
  start: { member: 'n3' },
  transaction: { session: 's1', steps: [{ advance: '1s' }] },
  ttl: { index: 'at_1', lateness: { count: 0 } },
  not: { primary: 'any' },
  sometimes: { primary: 'any' },
  zones: { east: ['n1', 'n2'], west: ['n3'] },
  workload: { name: 'w2', every: '1s', insert: { into: 'app.orders', document: {} } },
  watch: { name: 's2', in: 'app.orders' },
};

/** What a check needs beside a key. */
const CHECKS: Readonly<Record<string, Fields>> = {
  at: { sum: 'app.orders', of: 'a', is: 0 },
  events: { stream: 's' },
  stream: { events: [] },
  workload: { lost: 0 },
};

/** What answers do without a default. */
const CHOICES: Readonly<Record<string, Fields>> = { term: { choices: [1, 2] }, count: { choices: [1, 2] } };

/** Options of options. */
const INSIDE: Readonly<Record<string, (shown: Fields) => Fields>> = {
  'rolling version': (shown) => ({ restart: shown }),
  'rolling error': (shown) => ({ restart: shown }),
};

/** What commands say that a row speaks of, and no file of ours. */
const OF_COMMANDS = ['confirm: true'];

/** Keys that forms show without a value. */
const VALUES: Fields = {
  choices: ['n1', 'n2'],
  data: {},
  near: 'n1',
  on: 'n1',
  options: {},
  pipeline: [],
  session: 's0',
  writeConcern: { w: 1 },
};

/** Words in capitals. */
const WORDS: Fields = { CHECK: { primary: 'any' }, FILTER: { a: 1 }, F: { operationType: 'insert' }, TITLE: 'A title' };
const NAMES: Fields = { reply: 'NAME', stream: 's', workload: 'w', as: 'another', replSet: 'rs1' };

/** A form as a reader would fill it in. @param key whose value it is */
function filledIn(key: string, form: unknown): unknown {
  if (form === null) return REST[key] ?? VALUES[key];
  if (form === 'NAME') return NAMES[key];
  if (typeof form === 'string') return WORDS[form] ?? form;
  if (Array.isArray(form)) {
    const items = form.filter((each) => each !== '…').map((each) => filledIn('', each));
    return items.length === 0 ? [{ advance: '1s' }] : items;
  }
  if (typeof form !== 'object') return form;
  const shown = Object.entries(form).flatMap(([given, value]) => {
    // `insert | update` are one or the other; `near …` is the last that is named.
    const name = given.replace(/ .*/, '');
    return name === '…' ? [] : [[name, (value === null ? REST[key]?.[name] : undefined) ?? filledIn(name, value)]];
  });
  return { ...(key === 'link' && 'from' in form ? { loss: 0 } : REST[key]), ...Object.fromEntries(shown) };
}

interface Form {
  readonly at: string;
  readonly table: string;
  /** The keys that its row is about, the first of which options of it belong to. */
  readonly row: readonly string[];
  /** The last key that was named before it. */
  readonly before: string;
  readonly form: string;
}

const KEY = /^(?:- )?\{? ?(\w+)\b(?!\()/;

function formsOf(page: string): Form[] {
  const lines = read(page).split('\n');
  let table = '';
  return lines.flatMap((line, index) => {
    const cells = /^\| (.*) \|$/.exec(line)?.[1]?.split(' | ');
    if (cells === undefined) return [];
    if (/^\|-/.test(lines[index + 1] ?? '')) table = cells[0]!;
    const [row = []] = cells.map((cell) => codesIn(cell).flatMap((code) => KEY.exec(code)?.[1] ?? []));
    const codes = cells.flatMap(codesIn);
    return codes.flatMap((form, i) => {
      const before = codes.slice(0, i).flatMap((code) => KEY.exec(code)?.[1] ?? []);
      return isForm(form) ? [{ at: `${page}:${index + 1}`, table, row, before: before.at(-1) ?? '', form }] : [];
    });
  });
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll('\\|', '|'));
}

/** A map, a list, or a key with a value. */
function isForm(code: string): boolean {
  return /^[{[]/.test(code) || /^(- )?\{? ?\w+: \S/.test(code);
}

/** The file that shows a form. */
function fileWith({ table, row, before, form }: Form): Fields {
  const put = TABLES[table]!;
  const [about = ''] = row;
  if (form.startsWith('- ')) return put(parse(form)[0]);
  if (table === '`answer`') return put(filledIn('', parse(form)) as Fields);
  // A map is what the row is about, a list is what was named last.
  const isValue = /^[{[]/.test(form);
  const [[key, given]] = isValue
    ? [[form.startsWith('{') ? about : before, parse(form)] as const]
    : (Object.entries(parse(`{ ${form} }`)) as [[string, unknown]]);
  const shown = { [key]: filledIn(key, given) };
  if (key === 'as' && about !== 'start') return withSteps({ run: { ...REST.run, ...shown } });
  if (table === 'check') return put({ ...CHECKS[key], ...shown });
  const inside = INSIDE[`${about} ${key}`]?.(shown) ?? shown;
  return put(row.includes(key) || about === '' || table === 'key' ? shown : { [about]: { ...REST[about], ...inside } });
}

const forms = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => formsOf(`docs/${name}`))
  .filter(({ table, form }) => table in TABLES && !OF_COMMANDS.includes(form));

test.for(forms.map((form) => [form.at, form.form, form] as const))('%s: %s', ([, , form]) => {
  const text = JSON.stringify({ name: 'A form', ...fileWith(form) }, undefined, 1);
  expect(told(text), text).toBe('');
});

test('each of the tables has some', () => {
  for (const table of Object.keys(TABLES))
    expect(
      forms.filter((form) => form.table === table),
      table,
    ).not.toEqual([]);
  expect(forms.length).toBeGreaterThan(80);
});

/** What is wrong with a scenario. */
function told(text: string): string {
  try {
    parseScenario(text, 'form.yaml');
    return '';
  } catch (error) {
    if (error instanceof InvalidScenario) return error.message;
    throw error;
  }
}
