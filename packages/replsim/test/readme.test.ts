import { readdirSync, readFileSync } from 'node:fs';
import * as mongodb from 'mongodb';
import { transformSync } from 'rolldown/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as replsim from '../src/index.ts';
import * as inMemory from '../src/mongodb-memory-server.ts';
import { REPL_SET_FATES, SERVER_FATES } from '../src/mongodbMemoryServer/optionFates.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Blocks with the comment that stands before them, and the output that follows. */
const blocks = [
  ...readme.matchAll(/<!-- ([^>]+) -->\n\n```\w+\n([\s\S]*?)\n```(?:\n\n```text\n([\s\S]*?)\n```)?/g),
].map(([, what, code, output]) => ({ what: what!, code: code!, output }));

test('every block of code is held by a test', () => {
  const shown = [...readme.matchAll(/^```(?!sh$|text$)\S+$/gm)];
  expect(blocks).toHaveLength(shown.length);
});

// Who reads it beside the package has no other file of the repository; `test/docs` sees where addresses of the web lead.
test('its links stay in the package, or lead to the web', () => {
  const { files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const packed = ['README.md', 'LICENSE', 'package.json', ...files.filter((path: string) => !path.startsWith('!'))];
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to!);
  const away = links.filter((to) => !/^(#|https:)/.test(to) && !packed.some((path) => `${to}/`.startsWith(`${path}/`)));
  expect(links.filter((to) => to.startsWith('https:'))).not.toEqual([]);
  expect(away).toEqual([]);
});

// `test/runners` runs these files, and compiles what is TypeScript.
test.for(blocks.filter(({ what }) => what.startsWith('file: ')))('$what', ({ what, code }) => {
  const file = new URL(`../../../${what.slice('file: '.length)}`, import.meta.url);
  expect(code).toBe(readFileSync(file, 'utf8').trimEnd());
});

const run = blocks.filter(({ what }) => what === 'run').map((block, i) => ({ ...block, i }));

test.for(run)('example $i prints what the README says', async ({ code, output }) => {
  const lines: string[] = [];
  const { code: plain } = transformSync('example.ts', code);
  const body = plain.replace(/import (.*) from ["']([^"']+)["'];/g, "const $1 = modules['$2'];");
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const modules = { replsim, mongodb, 'replsim/mongodb-memory-server': inMemory };
  await new AsyncFunction('modules', 'console', body)(modules, {
    log: (...words: unknown[]) => lines.push(words.join(' ')),
  });
  expect(lines.join('\n')).toBe(output);
});

describe('commands from other languages', () => {
  let set: replsim.ReplicaSet;
  let client: mongodb.MongoClient;

  beforeAll(async () => {
    set = await replsim.ReplicaSet.start({ members: 3 });
    client = new mongodb.MongoClient(`mongodb://${set.members[0]!.host}/?directConnection=true`);
  });

  afterAll(async () => {
    await client.close();
    await set.stop();
  });

  const commandsIn = (what: string, each: RegExp) =>
    [...blocks.find((block) => block.what === what)!.code.matchAll(each)].map((match) => match.slice(1));

  test('in the shell', async () => {
    const commands = commandsIn('run in the shell', /^db\.adminCommand\((.*)\)$/gm);
    const names: string[] = [];
    for (const [text] of commands) {
      const command = new Function(`return ${text}`)();
      names.push(Object.keys(command)[0]!);
      expect(await client.db('admin').command(command)).toMatchObject({ ok: 1 });
    }
    const listed = [...readme.matchAll(/^\| `(replsim\w+): /gm)].map(([, name]) => name);
    expect([...new Set(names)].sort()).toEqual(listed.sort());
  });

  test('in Python', async () => {
    const each =
      /^client\.admin\.command\("(\w+)", (.*?)(?:, (\w+)=True)?, read_preference=ReadPreference\.NEAREST\)$/gm;
    const commands = commandsIn('run its commands', each);
    expect(commands).toHaveLength(3);
    for (const [name, value, option] of commands) {
      // The primary may be the very member that is asked.
      const asked = name === 'replsimFault' ? client : new mongodb.MongoClient(set.uri);
      expect(
        await asked.db('admin').command({ [name!]: JSON.parse(value!), ...(option && { [option]: true }) }),
      ).toMatchObject({ ok: 1 });
      if (asked !== client) await asked.close();
    }
  });
});

describe('tables', () => {
  /** Names in the first column of the table below a heading. */
  const namesBelow = (heading: string) => {
    const section = readme.slice(readme.indexOf(`\n## ${heading}\n`)).split('\n## ')[1]!;
    const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell!);
    return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name!));
  };

  test('of the options', async () => {
    const refused = await replsim.ReplicaSet.start({ qqqqqqqqq: 1 } as replsim.ReplicaSetOptions).catch(String);
    const known = /known here: (.*)$/.exec(refused as string)![1]!.split(', ');
    expect(namesBelow('Options').sort()).toEqual(known.sort());
  });

  test('of the options of mongodb-memory-server', () => {
    const section = readme.split('\n## Instead of mongodb-memory-server\n')[1]!.split('\n## ')[0]!;
    const named = [...section.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].flatMap(([, cell, here]) =>
      [...cell!.matchAll(/`([\w.]+)`/g), ...here!.matchAll(/`(instance\.replicaMemberConfig)`/g)].map(
        ([, name]) => name!,
      ),
    );
    const inside = (fates: object): string[] =>
      Object.entries(fates).flatMap(([name, fate]) => {
        const options = typeof fate === 'object' ? (fate.inside ?? fate.each) : undefined;
        return options === undefined ? [name] : Object.keys(options).map((option) => `${name}.${option}`);
      });
    expect(named.sort()).toEqual([...new Set([...inside(SERVER_FATES), ...inside(REPL_SET_FATES)])].sort());
  });

  test('of the methods', () => {
    const members = Object.getOwnPropertyNames(replsim.ReplicaSet.prototype).filter((name) => name !== 'constructor');
    const listed = namesBelow('Methods').filter((name) => !['await', 'force'].includes(name));
    expect(listed.sort()).toEqual(members.sort());
  });

  test('of the warnings', () => {
    const sources = ['..', '../../cli', '../../server'].flatMap((folder) => {
      const src = new URL(`${folder}/src/`, import.meta.url);
      return readdirSync(src, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(new URL(name, src), 'utf8'));
    });
    const codes = sources.flatMap((text) => [...text.matchAll(/code: '(REPLSIM_\w+)'/g)].map(([, code]) => code!));
    expect(
      namesBelow('Warnings')
        .filter((name) => name.startsWith('REPLSIM_'))
        .sort(),
    ).toEqual([...new Set(codes)].sort());
  });

  test('of the errors', () => {
    const errors = Object.entries(replsim).flatMap(([name, value]) =>
      typeof value === 'function' && value.prototype instanceof Error ? [name] : [],
    );
    const [, paragraph] = /^Errors: ([\s\S]*?)\n\n/m.exec(readme)!;
    const named = [...paragraph!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    expect(named.sort()).toEqual(errors.filter((name) => name !== 'InvalidScenario').sort());
  });
});
