import { connect, type Socket } from 'node:net';
import { BsonWriter } from '@replsim/protocol';
import { ServedSet } from '@replsim/server';
import type { Longest, ToServer } from './measured.ts';

// A program: a served set, and a client of it that sends `ping` all the time and notes how long the longest took. Both share one thread on
// purpose: the CPU time that goes by while a ping waits is what the set took for others, however busy the machine is. A clock on the
// wall would show other programs too.

/** From one answer to the next ping. Unit: ms. */
const PAUSE_MS = 1;
const LOOP_STEPS = 5_000_000;
const LOOP_RUNS = 9;

/** OP_MSG `{ ping: 1, $db: 'admin' }`. */
function pingMessage(): Buffer {
  const writer = new BsonWriter();
  writer.int32('ping', 1);
  writer.string('$db', 'admin');
  const body = writer.finish();
  const message = Buffer.alloc(21 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(2013, 12);
  message.set(body, 21);
  return message;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** What a loop of a known length costs here: the least of several. Unit: ms of CPU time. */
function loopCpuMs(): number {
  const runs = Array.from({ length: LOOP_RUNS }, () => {
    const before = cpuMs();
    let state = 1;
    for (let i = 0; i < LOOP_STEPS; i++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    if (state === 0) process.stderr.write('');
    return cpuMs() - before;
  });
  return Math.min(...runs);
}

/** Sends pings one after the other. */
class Pinger {
  readonly #socket: Socket;
  readonly #message = pingMessage();
  #since = { cpuMs: 0, wallMs: 0 };
  longest: Longest = { cpuMs: 0, wallMs: 0 };

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1', () => this.#send());
    // One ping is under way at a time, and its answer comes in one piece.
    this.#socket.on('data', () => this.#answered());
    this.#socket.setNoDelay(true);
  }

  /** The longest from now on. */
  begin(): void {
    this.longest = { cpuMs: 0, wallMs: 0 };
    this.#begun();
  }

  /** The longest so far, with the ping that is under way. */
  look(): Longest {
    this.#note();
    return this.longest;
  }

  #begun(): void {
    this.#since = { cpuMs: cpuMs(), wallMs: performance.now() };
  }

  #send(): void {
    this.#socket.write(this.#message);
  }

  #note(): void {
    this.longest = {
      cpuMs: Math.max(this.longest.cpuMs, cpuMs() - this.#since.cpuMs),
      wallMs: Math.max(this.longest.wallMs, performance.now() - this.#since.wallMs),
    };
  }

  #answered(): void {
    this.#note();
    // What holds the thread during the pause would have held a ping as well.
    this.#begun();
    setTimeout(() => this.#send(), PAUSE_MS);
  }
}

const loopMs = loopCpuMs();
const served = await ServedSet.start({ members: 3 });
const primary = served.status().members.find(({ name }) => name === served.status().primary)?.host ?? '';
const pinger = new Pinger(Number(primary.split(':').at(-1)));
let cpuAtBegin = 0;
process.on('message', (message: ToServer) => {
  if (message === 'begin') {
    cpuAtBegin = cpuMs();
    pinger.begin();
    process.send?.({ type: 'begun' });
  } else process.send?.({ type: 'ended', cpuMs: cpuMs() - cpuAtBegin, longest: pinger.look() });
});
process.on('disconnect', () => process.exit());
process.send?.({ type: 'ready', uri: `mongodb://${primary}/`, loopMs });
