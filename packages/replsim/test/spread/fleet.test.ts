import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '@replsim/cli';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort, type Program, program, Running } from './program.ts';
import { RedisServer } from './redis.ts';

// Workers play what another process asks for, by a real Redis.

let built: Program;
let server: RedisServer;
let file: string;
const running: Running[] = [];

/** Who is elected first is a matter of the seed. */
const CLAIM = `name: n1 is elected
replicaSet: { members: 3 }
steps:
  - eventually: { within: 60s, primary: any }
  - expect: { primary: n1 }
`;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const QUEUE = `explore-${version}`;
const ASKED = ['--mode', 'seeds', '--stop-at', '9'];

beforeAll(async () => {
  [built, server] = await Promise.all([program(), RedisServer.start()]);
  file = join(built.folder, 'claim.yaml');
  writeFileSync(file, CLAIM);
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.kill();
  const redis = new Redis(server.port);
  await redis.flushall();
  redis.disconnect();
});
afterAll(async () => {
  await server.remove();
  built.remove();
});

function start(...args: readonly string[]): Running {
  const one = new Running(process.execPath, [built.bin, ...args]);
  running.push(one);
  return one;
}

const worker = () => start('worker', '--queue', server.url, '--jobs', '1');
const asker = (...args: readonly string[]) =>
  start('explore', file, ...ASKED, '--queue', server.url, '--jobs', '1', ...args);

/** The same in this process, where that is enough. */
async function here(...args: readonly string[]) {
  const said = { out: '', err: '' };
  const to = (stream: 'out' | 'err') => (text: string) => {
    said[stream] += text;
  };
  const io = { out: to('out'), err: to('err'), colours: false, progress: false };
  const code = await main(args, { ...io, processes: { program: built.player, atOnce: 1 } });
  return { code, ...said };
}

/** What one process says of the same. */
async function alone(...args: readonly string[]) {
  const { code, out } = await here('explore', file, ...ASKED, ...args);
  return { code, out: timeless(out) };
}

/** What an asker has come to, as one would say it that has asked nobody. */
const cameTo = async (asking: Running) => ({ code: await asking.ended, out: timeless(asking.out) });

/** All but how long it took, and where the file lies as seen from elsewhere. */
const timeless = (text: string) => text.replace(/"tookMs": \d+/, '').replaceAll(file, 'claim.yaml');

const keysLeft = async () => {
  const redis = new Redis(server.port);
  const keys = await redis.keys('*');
  redis.disconnect();
  return keys;
};

test('a worker dies and the server starts anew, and what is found is what one process finds', async () => {
  const args = ['--runs', '40', '--json'];
  const workers = [worker(), worker(), worker()];
  await Promise.all(workers.map((each) => each.said('waiting for runs')));
  const asking = asker(...args, '--range', '4');
  const [first, second] = workers;
  await first!.said('playing runs');
  await first!.kill('SIGKILL');
  await second!.said('playing runs', 2);
  await server.stop();
  await server.again();
  expect(await cameTo(asking)).toEqual(await alone(...args));
  expect(asking.err).toContain('trying again');
  // Nothing stays behind but what BullMQ keeps of a queue that is empty.
  expect((await keysLeft()).filter((key) => !/:(meta|events|stalled-check)$/.test(key))).toEqual([]);
});

test('it ends where one process ends, although others have played more', async () => {
  worker();
  worker();
  const asking = asker('--runs', '30', '--stop-at', '1', '--range', '3', '--json');
  expect(await cameTo(asking)).toEqual(await alone('--runs', '30', '--stop-at', '1', '--json'));
});

test('who asks the same joins, who asks something else is refused, and who is interrupted cancels', async () => {
  const first = asker('--runs', '30', '--json');
  await first.said('no worker is there yet');
  const other = await here('explore', file, ...ASKED, '--queue', server.url, '--runs', '31');
  expect(other.code).toBe(2);
  expect(other.err).toMatch(/the queue is busy with \S*claim.yaml, and the two have different numbers of runs/);
  const same = asker('--runs', '30', '--json');
  await same.said('joined');
  const status = await here('queue', 'status', '--queue', server.url);
  expect(status.out).toMatch(/an exploration of \S*claim.yaml\n {2}0 workers; 2 askers\n {2}ranges: 2 waiting/);
  worker();
  const expected = await alone('--runs', '30', '--json');
  expect(await cameTo(first)).toEqual(expected);
  expect(await cameTo(same)).toEqual(expected);
  await running.at(-1)!.kill();

  const interrupted = asker('--runs', '30', '--json');
  await interrupted.said('no worker is there yet');
  interrupted.child.kill('SIGINT');
  expect(await interrupted.ended).toBe(130);
  expect(JSON.parse(interrupted.out)).toMatchObject({ runs: 1, of: 30 });
  expect((await keysLeft()).filter((key) => key.includes('question'))).toEqual([]);
});

test('what is left running is there for who asks again', async () => {
  const queued = ['explore', file, ...ASKED, '--queue', server.url, '--runs', '12', '--range', '4'];
  const left = await here(...queued, '--detach');
  expect(left.code).toBe(0);
  expect(left.out).toContain('nothing is known yet');
  const playing = worker();
  await playing.said('playing runs', 3);
  const again = await here(...queued, '--json');
  expect({ code: again.code, out: timeless(again.out) }).toEqual(await alone('--runs', '12', '--json'));
  expect(await here('queue', 'cancel', '--queue', server.url)).toMatchObject({ code: 0 });
});

test('a measurement that workers play has the figures that one process has', async () => {
  const variants = join(built.folder, 'variants.yaml');
  const soon = 'variants:\n  soon: { replicaSet: { settings: { electionTimeoutMillis: 1000 } } }\n';
  writeFileSync(variants, `${CLAIM}  - kill: primary\n  - advance: 20s\n${soon}`);
  const args = ['measure', variants, '--seeds', '3..12'];
  const one = await here(...args, '--json');
  const queued = [...args, '--queue', server.url, '--range', '3'];
  expect(await here(...queued, '--detach')).toMatchObject({ code: 0, out: expect.stringContaining('left running') });
  const busy = await here('explore', file, ...ASKED, '--queue', server.url, '--runs', '30');
  expect(busy).toMatchObject({ code: 2, err: expect.stringContaining('the two have different kinds of question') });
  const status = await here('queue', 'status', '--queue', server.url);
  expect(status.out).toMatch(/: a measurement of \S*variants.yaml\n {2}0 workers/);
  worker();
  worker();
  const measured = await here(...queued, '--json');
  expect(measured.err).toContain('joined');
  expect({ ...measured, out: timeless(measured.out), err: '' }).toEqual({ ...one, out: timeless(one.out) });
  expect((await keysLeft()).filter((key) => key.includes('question'))).toEqual([]);
});

test('a range costs the server some commands, and a few kilobytes', async () => {
  const playing = worker();
  await playing.said('waiting for runs');
  const redis = new Redis(server.port);
  const figures = async () => {
    const info = await redis.info('stats');
    const figure = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    const commands = figure('total_commands_processed');
    return { commands, bytes: figure('total_net_input_bytes') + figure('total_net_output_bytes') };
  };
  const cost = async (range: number) => {
    const before = await figures();
    await here('explore', file, ...ASKED, '--queue', server.url, '--runs', '41', '--range', `${range}`, '--no-shrink');
    const after = await figures();
    return { commands: after.commands - before.commands, bytes: after.bytes - before.bytes };
  };
  // What each exploration costs is in both, and what each range costs 38 times more in one of them.
  const [many, few] = [await cost(1), await cost(20)];
  const commands = (many.commands - few.commands) / 38;
  const bytes = (many.bytes - few.bytes) / 38;
  redis.disconnect();
  console.info(`a range: ${commands.toFixed(1)} commands, ${Math.round(bytes)} bytes`);
  // Scripts count with what they call; the busier the machine, the more often somebody looks.
  expect(commands).toBeLessThan(400);
  expect(bytes).toBeLessThan(60_000);
});

test('by TLS and a password, with a certificate whose authority is named', async () => {
  const locked = await RedisServer.startTls('--requirepass', 'open sesame');
  try {
    const at = (host: string, password = 'open%20sesame') => `rediss://:${password}@${host}:${locked.port}`;
    const untrusted = await here('queue', 'status', '--queue', at('localhost'));
    expect(untrusted).toMatchObject({ code: 2, err: expect.stringContaining('name the file of its authority') });
    const trusting = (...args: readonly string[]) => {
      const one = new Running(process.execPath, [built.bin, ...args], { NODE_EXTRA_CA_CERTS: locked.authority });
      running.push(one);
      return one;
    };
    const wrong = trusting('queue', 'status', '--queue', at('127.0.0.1', 'sesame'));
    expect(await wrong.ended).toBe(2);
    expect(wrong.err).toMatch(/^--queue: rediss:\S+: the password is wrong: [^\n]*\n$/);
    await trusting('worker', '--queue', at('localhost'), '--jobs', '1').said('waiting for runs');
    const asked = ['--runs', '4', '--json', '--no-shrink'];
    const asking = trusting('explore', file, ...ASKED, '--queue', at('127.0.0.1'), '--jobs', '1', ...asked);
    expect(await cameTo(asking)).toEqual(await alone(...asked));
    expect(asking.err).not.toContain('Warning');
  } finally {
    for (const each of running.splice(0)) await each.kill();
    await locked.remove();
  }
});

describe('refused', () => {
  const refusal = async (...args: readonly string[]) => {
    const { code, out, err } = await here(...args);
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  test('no server, a wrong password, none where one is wanted, no such database', async () => {
    const nowhere = `redis://127.0.0.1:${await freePort()}`;
    for (const command of [['worker'], ['queue', 'status'], ['explore', file]])
      expect(await refusal(...command, '--queue', nowhere)).toContain('no server listens there');
    const locked = await RedisServer.start('--requirepass', 'open sesame');
    try {
      const at = (who: string, rest = '') => `redis://${who}127.0.0.1:${locked.port}${rest}`;
      expect(await refusal('worker', '--queue', at(''))).toContain('it wants a password');
      const wrong = await refusal('worker', '--queue', at(':sesame@'));
      expect(wrong).toContain('the password is wrong');
      expect(wrong).not.toContain(':sesame');
      expect(await refusal('worker', '--queue', at(':open%20sesame@', '/99'))).toContain('no database of this number');
      const status = await here('queue', 'status', '--queue', at(':open%20sesame@', '/1'));
      expect(status.code).toBe(0);
      expect(status.out).toContain(`redis://127.0.0.1:${locked.port}/1: nobody asks anything`);
    } finally {
      await locked.remove();
    }
  });

  test('a worker of another release', async () => {
    const asking = asker('--runs', '30');
    await asking.said('no worker is there yet');
    const redis = new Redis(server.port);
    const key = 'replsim:explore:question';
    const queued = JSON.parse((await redis.get(key))!);
    await redis.set(key, JSON.stringify({ ...queued, question: { ...queued.question, replsim: '0.0.1' } }));
    redis.disconnect();
    expect(await refusal('worker', '--queue', server.url)).toContain('for workers of replsim 0.0.1');
  });

  test('what others have put there', async () => {
    const redis = new Redis(server.port);
    const key = 'replsim:explore:question';
    for (const junk of ['{', '[]', '{"question":{}}']) {
      await redis.set(key, junk);
      expect(await refusal('worker', '--queue', server.url)).toContain(
        'something that this release does not understand',
      );
      expect(await refusal('explore', file, ...ASKED, '--queue', server.url)).toContain(
        'replsim queue cancel clears it',
      );
    }
    await redis.del(key);
    await redis.lpush(key, 'x');
    expect(await refusal('worker', '--queue', server.url)).toContain('is not a queue of replsim');
    await redis.del(key);

    // Tasks that are none keep nobody from those that are some.
    const playing = worker();
    await playing.said('waiting for runs');
    const queue = new Queue(QUEUE, { connection: { port: server.port }, prefix: 'replsim' });
    const asking = asker('--runs', '8', '--range', '4', '--json');
    for (const data of [
      null,
      'x',
      { question: '../../x', from: 0, to: 1 },
      { question: 'f'.repeat(64), from: 0, to: 1e9 },
    ])
      await queue.add('runs', data);
    expect(await cameTo(asking)).toEqual(await alone('--runs', '8', '--json'));
    await queue.close();
    redis.disconnect();
  });

  test('an answer that no worker gives', async () => {
    const asking = asker('--runs', '8', '--range', '4', '--json');
    await asking.said('no worker is there yet');
    const { Worker } = await import('bullmq');
    const liar = new Worker(QUEUE, async () => ({ answer: { from: 1, to: 5, of: 8, runs: 4 } }), {
      connection: { port: server.port, maxRetriesPerRequest: null },
      prefix: 'replsim',
    });
    expect(await asking.ended).toBe(2);
    expect(asking.err).toContain('a worker gave an answer that none of this release gives');
    await liar.close();
  });

  test.for([
    [['--queue', 'http://x'], '"http://" is not a protocol of Redis'],
    [['--queue', 'here'], 'this is not an address'],
    [['--queue', 'redis://h/x'], 'is not the number of a database'],
    [['--queue', 'redis://h', '--shard', '1/2'], 'both spread the runs'],
    [['--detach'], '--detach belongs to --queue'],
    [['--range', '3'], '--range belongs to --queue'],
  ] as const)('%j', async ([args, message]) => {
    const { code, err } = await here('explore', file, ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
