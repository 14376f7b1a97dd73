import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Collection, MongoClient } from 'mongodb';
import { type FakeTimersLibrary, ReplicaSet, type ReplicaSetOptions } from 'replsim';
import sinon from 'sinon';
import { afterEach, describe, expect, test, vi } from 'vitest';

let set: ReplicaSet;
let client: MongoClient;

afterEach(async () => {
  await client?.close();
  await set?.stop();
});

async function start(options: ReplicaSetOptions = {}): Promise<Collection<{ _id: number; at?: Date }>> {
  set = await ReplicaSet.start({ members: 3, ...options });
  client = new MongoClient(set.uri);
  const items = client.db('app').collection<{ _id: number; at?: Date }>('items');
  await items.createIndex({ at: 1 }, { expireAfterSeconds: 30 });
  return items;
}

describe.each<[name: string, library: FakeTimersLibrary]>([
  ['vitest', vi],
  ['sinon', sinon],
])('%s', (_, library) => {
  test("the application's clock and the set's are one", async () => {
    await start();
    set.useFakeTimers(library);
    expect(Date.now()).toBe(set.now().getTime());
    const before = Date.now();
    await set.advance('61s');
    expect(Date.now()).toBe(before + 61_000);
    expect(set.now().getTime()).toBe(Date.now());
  });

  test('it stands still, but for what commands take', async () => {
    const items = await start();
    set.useFakeTimers(library);
    const before = Date.now();
    for (let i = 0; i < 20; i++) await turn();
    expect([Date.now(), set.now().getTime()]).toEqual([before, before]);
    for (let _id = 0; _id < 20; _id++) await items.insertOne({ _id }, { writeConcern: { w: 'majority' } });
    expect(Date.now() - before).toBeGreaterThan(0);
    expect(Date.now() - before).toBeLessThan(100);
    expect(set.now().getTime()).toBe(Date.now());
  });

  test("a jump fires the application's timers and the set's events in one order", async () => {
    const items = await start();
    set.useFakeTimers(library);
    await items.insertOne({ _id: 1, at: new Date() });
    const seen: number[] = [];
    const poll = setInterval(async () => void seen.push(await items.countDocuments()), 10_000);
    await set.advance('2m');
    clearInterval(poll);
    expect(seen).toHaveLength(12);
    // A TTL pass comes each minute, and the document is due after half of one.
    expect(seen.slice(0, 3)).toEqual([1, 1, 1]);
    expect(seen.at(-1)).toBe(0);
    expect(seen).toEqual(seen.toSorted().reverse());
  });

  test('drivers stay connected over a failover that timers live through', async () => {
    const items = await start();
    set.useFakeTimers(library);
    const troubles: unknown[] = [];
    client.on('commandFailed', ({ failure }) => troubles.push(failure));
    await items.insertOne({ _id: 0 });
    const written: Promise<unknown>[] = [];
    let _id = 0;
    const writing = setInterval(() => written.push(items.insertOne({ _id: ++_id })), 1000);
    const before = set.primary;
    await set.kill('primary');
    expect(set.primary).toBeUndefined();
    await set.advance('30s');
    clearInterval(writing);
    await Promise.all(written);
    expect(set.primary).not.toBe(before);
    expect(written).toHaveLength(30);
    expect(await items.countDocuments()).toBe(31);
    expect(troubles).toEqual([]);
  });

  test('whoever waits for something of the set sees timers go by', async () => {
    await start();
    set.useFakeTimers(library);
    let seconds = 0;
    const counting = setInterval(() => void seconds++, 1000);
    const before = Date.now();
    await set.untilTtlPass();
    clearInterval(counting);
    expect(seconds).toBe(Math.floor((Date.now() - before) / 1000));
    expect(seconds).toBeGreaterThan(0);
  });

  test('restored, the set keeps step with the wall clock, and they may be faked again', async () => {
    const items = await start();
    const real = globalThis.setTimeout;
    const faked = set.useFakeTimers(library);
    expect(globalThis.setTimeout).not.toBe(real);
    await set.advance('1h');
    faked.restore();
    faked.restore();
    expect(globalThis.setTimeout).toBe(real);
    const ahead = () => set.now().getTime() - Date.now();
    expect(ahead()).toBeGreaterThan(3_500_000);
    await items.insertOne({ _id: 1 });
    expect(ahead()).toBeLessThan(3_700_000);
    {
      using _again = set.useFakeTimers(library);
      await set.advance('1h');
    }
    expect(ahead()).toBeGreaterThan(7_100_000);
  });

  test('restored amid a jump, time goes on from what the clock showed, and no hour counts twice', async () => {
    await start();
    const begun = set.now().getTime();
    const faked = set.useFakeTimers(library);
    let shown = 0;
    setTimeout(() => {
      shown = set.now().getTime();
      faked.restore();
    }, 3_600_000);
    await set.advance('2h');
    expect(shown - begun).toBeGreaterThanOrEqual(3_600_000);
    expect(set.now().getTime()).toBeGreaterThanOrEqual(shown);
    expect(set.now().getTime() - begun).toBeLessThan(2.1 * 3_600_000);
  });

  test('useRealTimers() restores them, too, and does nothing where they are real', async () => {
    await start();
    const real = globalThis.setTimeout;
    set.useRealTimers();
    set.useFakeTimers(library);
    set.useRealTimers();
    expect(globalThis.setTimeout).toBe(real);
  });

  test('stop() restores them', async () => {
    await start();
    const real = globalThis.setTimeout;
    set.useFakeTimers(library);
    await client.close();
    await set.stop();
    expect(globalThis.setTimeout).toBe(real);
    expect(() => set.useFakeTimers(library)).toThrow('the set is stopped');
  });
});

test("the library's own calls turn the set's clock, too, and restore it", async () => {
  const items = await start();
  set.useFakeTimers(vi);
  await items.insertOne({ _id: 1, at: new Date() });
  const before = Date.now();
  await vi.advanceTimersByTimeAsync(95_000);
  expect(Date.now()).toBe(before + 95_000);
  expect(await items.countDocuments()).toBe(0);
  vi.useRealTimers();
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(1);
});

describe("the library's calls that go by timers mean the application's", () => {
  const MINUTE = 60_000;

  /** A set that has something to wake for, as it has before long. */
  async function faked(): Promise<void> {
    set = await ReplicaSet.start({ members: 3 });
    set.useFakeTimers(vi);
    await set.advance('1s');
  }

  test('none is counted but theirs', async () => {
    await faked();
    expect(vi.getTimerCount()).toBe(0);
    setTimeout(() => {}, MINUTE);
    setInterval(() => {}, MINUTE);
    expect(vi.getTimerCount()).toBe(2);
    vi.clearAllTimers();
    await set.advance('1s');
    expect(vi.getTimerCount()).toBe(0);
  });

  test.for<[name: string, turn: () => unknown]>([
    ['runAllTimers', () => vi.runAllTimers()],
    ['runAllTimersAsync', () => vi.runAllTimersAsync()],
    ['runOnlyPendingTimers', () => vi.runOnlyPendingTimers()],
    ['runOnlyPendingTimersAsync', () => vi.runOnlyPendingTimersAsync()],
    ['advanceTimersToNextTimer', () => vi.advanceTimersToNextTimer()],
    ['advanceTimersToNextTimerAsync', () => vi.advanceTimersToNextTimerAsync()],
  ])('%s goes to the only one, and where there is none nowhere', async ([, turn]) => {
    await faked();
    const before = Date.now();
    await turn();
    expect(Date.now()).toBe(before);
    const fired: number[] = [];
    setTimeout(() => fired.push(set.now().getTime() - before), MINUTE);
    await turn();
    expect(fired).toEqual([MINUTE]);
    expect([Date.now(), set.now().getTime()]).toEqual([before + MINUTE, before + MINUTE]);
    await turn();
    expect(Date.now()).toBe(before + MINUTE);
  });

  test('and the set has its events before what is due later', async () => {
    await faked();
    const heard: string[] = [];
    const killed = set.primary;
    await set.kill('primary');
    setTimeout(() => heard.push(`${set.primary !== undefined && set.primary !== killed}`), MINUTE);
    await vi.advanceTimersToNextTimerAsync();
    expect(heard).toEqual(['true']);
  });

  test.for<[name: string, turn: () => unknown]>([
    ['runAllTimers', async () => vi.runAllTimers()],
    ['runAllTimersAsync', () => vi.runAllTimersAsync()],
  ])('%s names the way out of an interval that never ends', async ([, turn]) => {
    await faked();
    vi.useRealTimers();
    // So many are soon fired.
    set.useFakeTimers({ useFakeTimers: (config) => vi.useFakeTimers({ ...config, loopLimit: 5 }) });
    setInterval(() => {}, 1000);
    await expect(turn()).rejects.toThrow(/^useFakeTimers: runAllTimers: 5 timers have fired, .*set\.advance\('1h'\)/);
  });
});

test.for([undefined, 0, 0.5, -1, Number.NaN])(
  'an interval of %s is one of a millisecond, as under Node',
  async (ms) => {
    set = await ReplicaSet.start({ members: 1 });
    set.useFakeTimers(vi);
    let fired = 0;
    setInterval(() => void fired++, ms);
    await set.advance(20);
    expect(fired).toBe(20);
  },
);

describe("the library's calls that would part the two clocks", () => {
  test('setSystemTime is refused, forward and back', async () => {
    await start();
    set.useFakeTimers(vi);
    const before = Date.now();
    for (const to of [before + 3_600_000, before - 1, new Date(0)])
      expect(() => vi.setSystemTime(to)).toThrow(/^useFakeTimers: setSystemTime: .*set\.advance\('1h'\)/);
    vi.setSystemTime(before);
    await set.advance('1s');
    expect([Date.now(), set.now().getTime()]).toEqual([before + 1000, before + 1000]);
  });

  test('clearAllTimers clears those of the application, and the time goes on from where it is', async () => {
    // Without a client, which would wake the set.
    set = await ReplicaSet.start({ members: 1 });
    set.useFakeTimers(vi);
    await set.advance('1s');
    const fired: string[] = [];
    setTimeout(() => fired.push('cleared'), 1000);
    const before = Date.now();
    vi.clearAllTimers();
    expect([Date.now(), set.now().getTime()]).toEqual([before, before]);
    setTimeout(() => fired.push('set since'), 1000);
    await set.advance('95s');
    expect([Date.now(), set.now().getTime()]).toEqual([before + 95_000, before + 95_000]);
    expect(fired).toEqual(['set since']);
  });

  test('useFakeTimers of its own is warned of', async () => {
    await start();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    set.useFakeTimers(vi).restore();
    set.useFakeTimers(vi);
    vi.useRealTimers();
    await turn();
    expect(warned).not.toHaveBeenCalled();
    set.useFakeTimers(vi);
    vi.useFakeTimers();
    await turn();
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining("the library's own useFakeTimers() has ended set.useFakeTimers()"),
      { code: 'REPLSIM_CLOCKS_PARTED' },
    );
    vi.useRealTimers();
    warned.mockRestore();
  });

  test('others in the place of the timers are warned of, once, and a spy on one of them is not', async () => {
    await start();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const legacy = { setTimeout, clearTimeout, setInterval, clearInterval };
    const putLegacy = () => Object.assign(globalThis, legacy);
    // As jest's legacy timers, which leave Date as it is, and are what its useRealTimers() ends then.
    set.useFakeTimers({ useFakeTimers: (config) => vi.useFakeTimers(config), useRealTimers: putLegacy });
    // A spy by hand: vitest puts back once more, when the file is over, what was there before one of its own.
    const faked = globalThis.setTimeout;
    Object.assign(globalThis, { setTimeout: (...given: Parameters<typeof faked>) => faked(...given) });
    await set.advance('1s');
    expect(warned).not.toHaveBeenCalled();
    Object.assign(globalThis, { setTimeout: faked });
    putLegacy();
    await set.advance('1s');
    await set.advance('1s');
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('as after jest.useFakeTimers({ legacyFakeTimers: true })'),
      { code: 'REPLSIM_CLOCKS_PARTED' },
    );
    warned.mockRestore();
    set.useRealTimers();
    expect(globalThis).toMatchObject(legacy);
    expect(Date).not.toHaveProperty('clock');
    vi.useRealTimers();
  });
});

test('what a timer does to the set is done before time goes on, however new its clients are', async () => {
  await start();
  set.useFakeTimers(vi);
  const before = Date.now();
  const done: Record<string, number> = {};
  const doing = async (what: string, does: Promise<unknown>) => {
    await does;
    done[what] = Date.now() - before;
  };
  const killed = set.primary!;
  setTimeout(() => void doing('kill', set.kill(killed)), 5000);
  setTimeout(() => void doing('start', set.start(killed)), 6000);
  await set.advance('10s');
  expect(done).toEqual({ kill: 5000, start: 6000 });
  // A driver that closes looks for a primary first, for half a minute of real time.
  await set.untilPrimary();
});

test("what the application's timer throws is its own, and the set goes on", async () => {
  await start();
  set.useFakeTimers(vi);
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  const others = process
    .listeners('uncaughtException')
    .filter((listener) => process.listeners('uncaughtException').indexOf(listener) === 0);
  for (const other of others) process.off('uncaughtException', other);
  setTimeout(() => {
    throw new Error('of the application');
  }, 1000);
  await set.advance('2s');
  expect(await thrown).toMatchObject({ message: 'of the application' });
  for (const other of others) process.on('uncaughtException', other);
});

test("jest's config may have asked for legacy timers, which have no clock", async () => {
  set = await ReplicaSet.start({ members: 1 });
  const jest: FakeTimersLibrary = {
    useFakeTimers: (config) =>
      Object.assign({ legacyFakeTimers: true }, config).legacyFakeTimers || vi.useFakeTimers(config),
    useRealTimers: () => vi.useRealTimers(),
  };
  set.useFakeTimers(jest);
  expect(Date.now()).toBe(set.now().getTime());
});

describe('refused', () => {
  test('at another speed, and the speed is not changed meanwhile', async () => {
    await start({ speed: 0 });
    expect(() => set.useFakeTimers(vi)).toThrow(
      "the set's speed is 0: a set can only follow the application's clock at speed 1",
    );
    set.speed = 1;
    set.useFakeTimers(vi);
    expect(() => {
      set.speed = 10;
    }).toThrow('restore them before you change the speed');
  });

  test('where timers are faked already', async () => {
    await start();
    vi.useFakeTimers();
    expect(() => set.useFakeTimers(vi)).toThrow('timers are faked already');
    vi.useRealTimers();
  });

  test('what is no library', async () => {
    await start();
    expect(() => set.useFakeTimers({} as FakeTimersLibrary)).toThrow('it takes vi, jest or sinon');
    expect(() => set.useFakeTimers(undefined as unknown as FakeTimersLibrary)).toThrow(
      /it takes vi, jest or sinon, .* name$/,
    );
    for (const ofNode of [mock, mock.timers])
      expect(() => set.useFakeTimers(ofNode as unknown as FakeTimersLibrary)).toThrow(
        /^useFakeTimers: it takes vi, jest or sinon, .*; under node --test take sinon, as mock\.timers of node:test/,
      );
    expect(() => set.useFakeTimers({ useFakeTimers: () => {} })).toThrow('has faked no setTimeout');
  });

  test.for([{ toFake: ['Date'] }, { now: 0 }, null])("the library's options: %j", async (options) => {
    await start();
    const real = globalThis.setTimeout;
    expect(() => set.useFakeTimers(vi, options as unknown as typeof globalThis)).toThrow(
      "useFakeTimers: it takes none of the library's options",
    );
    expect(globalThis.setTimeout).toBe(real);
    set.useFakeTimers(vi, globalThis);
  });
});
