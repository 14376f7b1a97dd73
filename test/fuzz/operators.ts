import type { Random } from '@replsim/kernel';
import { encodeDocument } from '@replsim/protocol';
import { MADE, SCRATCH } from './besides.ts';
import { ACCOUNTS, LEDGER } from './books.ts';
import { type Doc, primariesOf } from './caller.ts';
import { EXPIRING } from './clients.ts';
import type { Scene } from './trouble.ts';

/** A database that comes and goes. */
const OTHER_DB = 'other';
const IMAGES = { changeStreamPreAndPostImages: { enabled: true } };
const NO_IMAGES = { changeStreamPreAndPostImages: { enabled: false } };

/** The collections that streams with images watch: without this, what they hold would come as it is written. */
export function makeBooks(scene: Scene, random: Random): void {
  for (const collection of [ACCOUNTS, LEDGER]) {
    if (random.chance(0.6)) send(scene, { create: collection, ...(random.chance(0.8) && IMAGES), $db: 'app' });
  }
}

/** What operators do to collections, sessions and open transactions. */
export function operate(scene: Scene, random: Random): void {
  send(scene, drawn(scene, random));
}

function drawn({ bank }: Scene, random: Random): Doc {
  const patience = random.chance(0.4) ? { maxTimeMS: random.int(100, 6000) } : {};
  const index = { key: { touched: 1 }, name: 'touched_1' };
  switch (random.int(0, 20)) {
    case 0:
      return { drop: random.pick([SCRATCH, SCRATCH, SCRATCH, ...MADE]), ...patience, $db: 'app' };
    case 1:
      return { create: SCRATCH, ...(random.chance(0.5) && IMAGES), ...patience, $db: 'app' };
    case 2: {
      const [from, to] = random.shuffle([SCRATCH, ...MADE]);
      return { renameCollection: `app.${from}`, to: `app.${to}`, dropTarget: random.chance(0.5), $db: 'admin' };
    }
    case 3:
      return { insert: 'things', documents: [{ n: 1 }, { n: 2 }], $db: OTHER_DB };
    case 4:
      return { dropDatabase: 1, $db: OTHER_DB };
    case 5:
    case 6:
      return { createIndexes: random.pick([ACCOUNTS, LEDGER]), indexes: [index], ...patience, $db: 'app' };
    case 7:
      return { dropIndexes: random.pick([ACCOUNTS, LEDGER]), index: index.name, ...patience, $db: 'app' };
    case 8:
      return { collMod: random.pick([ACCOUNTS, LEDGER, EXPIRING]), ...IMAGES, ...patience, $db: 'app' };
    case 9:
      return { collMod: random.pick([ACCOUNTS, EXPIRING, SCRATCH]), ...NO_IMAGES, ...patience, $db: 'app' };
    case 10:
    case 11:
      return bank.tellers.length === 0
        ? { ping: 1, $db: 'admin' }
        : { killSessions: [random.pick(bank.tellers).lsid], $db: 'admin' };
    case 12:
      return { killAllSessions: [], $db: 'admin' };
    case 13:
      return { setParameter: 1, transactionLifetimeLimitSeconds: random.pick([1, 5, 60]), $db: 'admin' };
    case 14: {
      const expireAfterSeconds = random.pick(['off', 5, 20]);
      return {
        setClusterParameter: { changeStreamOptions: { preAndPostImages: { expireAfterSeconds } } },
        $db: 'admin',
      };
    }
    default:
      return { insert: SCRATCH, documents: [{ by: 'operator' }], $db: 'app' };
  }
}

/** Whether it came about the trace or the clients tell. */
function send({ set, random }: Scene, command: Doc): void {
  const primaries = primariesOf(set);
  if (primaries.length > 0) set.send(random.pick(primaries), encodeDocument(command));
}
