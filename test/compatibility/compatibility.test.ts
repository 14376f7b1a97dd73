import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { aggregation } from './aggregation.ts';
import { collections, indexes } from './collections.ts';
import { reading, writing } from './crud.ts';
import { places } from './places.ts';
import { administration, replication } from './replication.ts';
import type { Application, Row } from './row.ts';
import { words } from './words.ts';

// What docs/compatibility.md says, line by line, by the driver of Node.js on a set of three.

const areas: readonly (readonly [string, readonly Row[]])[] = [
  ['Reading', reading],
  ['Writing', writing],
  ['Aggregation', aggregation],
  ['Indexes', indexes],
  ['Places', places],
  ['Words', words],
  ['Collections', collections],
  ['Replication, sessions, transactions, change streams', replication],
  ['Administration', administration],
];

const served = useServedSet({ members: 3 });
let client: MongoClient;
beforeAll(() => {
  client = new MongoClient(served().uri);
});
afterAll(() => client?.close());

let databases = 0;
function application(): Application {
  databases += 1;
  const db = client.db(`app${databases}`);
  return { client, db, admin: client.db('admin'), things: db.collection('things') };
}

describe.each(areas)('%s', (_area, rows) => {
  test.for(rows)('$feature', async ({ ask, gives, refused }) => {
    if (refused === undefined) {
      expect(comparable(await ask(application()), gives)).toEqual(gives);
      return;
    }
    for (const asked of [ask(application())].flat()) {
      const error = await asked.then(
        () => expect.unreachable('it is not refused'),
        (caught) => caught,
      );
      expect({ code: error.code, codeName: error.codeName }).toEqual(refused);
      expect(error.message).toMatch(gives as RegExp);
    }
  });
});

/** Of a command's reply what is asked for: the rest says when and where it was answered. */
function comparable(got: unknown, gives: unknown): unknown {
  if (got === null || typeof got !== 'object' || !('ok' in got)) return got;
  return Object.fromEntries(Object.keys(gives as object).map((key) => [key, (got as Record<string, unknown>)[key]]));
}

test('each name that a line has is asked for', () => {
  const unheld = areas.flatMap(([, rows]) =>
    rows.flatMap(({ feature, ask }) =>
      [...feature.matchAll(/`(\$?[\w[\]]+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !ask.toString().includes(name))
        .map((name) => `${name} of: ${feature}`),
    ),
  );
  expect(unheld).toEqual([]);
});

test('each line stands once', () => {
  const features = areas.flatMap(([, rows]) => rows.map(({ feature }) => feature));
  expect(new Set(features).size).toBe(features.length);
});

const HEADER = `# What an application can expect

This page lists, by feature, what an application can expect from replsim. Each line is a test, with the Node.js driver and a set of three
members of release 8.0. The page is generated from those tests (\`test/compatibility\`). A command, stage, operator or option that replsim lacks is
rejected with an error, never ignored. [differences.md](differences.md) lists what is simpler than in MongoDB, and [drivers.md](drivers.md) shows how
official drivers fare with their own tests.
`;

function shown({ feature, note, refused }: Row): string {
  const what = refused === undefined ? 'works' : `rejected: ${refused.code} \`${refused.codeName}\``;
  return `| ${feature} | ${what} | ${note ?? ''} |`;
}

test('the page shows all of them; -u rewrites it', async () => {
  const sections = areas.map(
    ([area, rows]) => `## ${area}\n\n| feature | in replsim | note |\n|---|---|---|\n${rows.map(shown).join('\n')}\n`,
  );
  await expect([HEADER, ...sections].join('\n')).toMatchFileSnapshot('../../docs/compatibility.md');
});
