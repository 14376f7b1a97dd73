import type { MongodEffect, MongodEvent, StartupOptions } from '@replsim/node';
import { encodeDocument, type MemberRequest, type Now } from '@replsim/protocol';
import { CorruptDiskError } from '@replsim/storage';
import type { ReplSetOptions } from '../src/api.ts';
import type { HostDisk, HostParts, MongodProcess } from '../src/parts.ts';
import { createHost, type ReplSet } from '../src/replSet.ts';

/** What a mongod of the test does with an event. */
export type Behaviour = (event: MongodEvent, self: FakeMongod, now: Now) => MongodEffect[];

/** A mongod that does what the test says, and keeps what it saw. */
export class FakeMongod implements MongodProcess {
  readonly options: StartupOptions;
  readonly loaded: FakeLoaded;
  readonly #behave: Behaviour;
  changes = 0;
  saysPrimary = false;
  saysArbiter = false;
  oplogTruncations = 0;
  keepsOplog = undefined;
  recovered = { hasReplSetConfig: false };
  durable = undefined;
  electable = false;
  barredUntilMicros = 0;
  readonly #seen: Seen[];

  constructor(options: StartupOptions, loaded: FakeLoaded, behave: Behaviour, seen: Seen[]) {
    this.options = options;
    this.loaded = loaded;
    this.#behave = behave;
    this.#seen = seen;
  }

  get name(): string {
    return this.options.host.slice(0, -':27017'.length);
  }

  step(event: MongodEvent, now: Now): readonly MongodEffect[] {
    this.#seen.push({ atMicros: now.monotonicMicros, name: this.name, what: describe(event), event });
    return this.#behave(event, this, now);
  }

  managesHost(): boolean {
    return true;
  }

  ask(_command: Uint8Array, now: Now): Uint8Array {
    return encodeDocument({ ok: 1, host: this.options.host, wallMs: now.wallMs });
  }
}

export interface Seen {
  readonly atMicros: number;
  readonly name: string;
  readonly what: string;
  readonly event: MongodEvent;
}

export interface FakeLoaded {
  readonly journal: readonly unknown[];
  readonly records: readonly unknown[];
  readonly checkpoint: unknown;
}

/** A disk of the test; a slow one takes real turns of Node's event loop, which must decide nothing. */
export class FakeDisk {
  records: unknown[] = [];
  checkpoint: unknown = undefined;
  closed = false;
  corrupted = false;
  lastWrite: Promise<void> | undefined = undefined;
  readonly #slow: boolean;

  constructor(slow = false) {
    this.#slow = slow;
  }

  async load(): Promise<FakeLoaded> {
    await this.lastWrite;
    if (this.#slow) await turns();
    if (this.corrupted) throw new CorruptDiskError('checksum error');
    return { journal: [], records: [...this.records], checkpoint: this.checkpoint };
  }

  appendJournal(records: readonly unknown[]): void {
    this.#write(() => this.records.push(...records));
  }

  writeCheckpoint(view: unknown): void {
    this.#write(() => {
      this.checkpoint = view;
    });
  }

  async corrupt(): Promise<void> {
    this.corrupted = true;
  }

  wipe(): void {
    this.corrupted = false;
    this.#write(() => {
      this.records = [];
      this.checkpoint = undefined;
    });
  }

  async close(): Promise<void> {
    await this.lastWrite;
    this.closed = true;
  }

  #write(write: () => void): void {
    if (!this.#slow) return write();
    const done = (this.lastWrite ?? Promise.resolve()).then(turns).then(() => {
      write();
      if (this.lastWrite === done) this.lastWrite = undefined;
    });
    this.lastWrite = done;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export interface FakeSet {
  readonly set: ReplSet;
  /** Everything that any member saw, in order; what the test does not want to see of it, it filters. */
  readonly seen: Seen[];
  readonly disks: FakeDisk[];
  /** `name what` of what was seen since the last call, with the time if asked for. */
  story(withTime?: boolean): string[];
}

/** A set of such mongods: n1, n2 and n3, not initiated, 1 ms apart, unless the options say otherwise. */
export async function fakeSet(
  behave: Behaviour,
  options: Partial<ReplSetOptions> = {},
  { slowDisks = false } = {},
): Promise<FakeSet> {
  const seen: Seen[] = [];
  const disks: FakeDisk[] = [];
  const set = await createHost({
    startMongod: (startup, loaded) => new FakeMongod(startup, loaded as unknown as FakeLoaded, behave, seen),
    openDisk: async () => {
      const disk = new FakeDisk(slowDisks);
      disks.push(disk);
      return disk as unknown as HostDisk;
    },
  } satisfies HostParts).create({
    members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }],
    initiate: false,
    network: { latencyMs: [1, 1] },
    ...options,
  });
  let told = 0;
  const story = (withTime = false) => {
    const news = seen.slice(told).filter(({ what }) => what !== 'started');
    told = seen.length;
    return news.map(({ atMicros, name, what }) => (withTime ? `${atMicros} ${name} ${what}` : `${name} ${what}`));
  };
  return { set, seen, disks, story };
}

/** A request from one fake to another; `text` is what `describe` calls it. */
export function request(from: string, to: string, id: number, text = `request ${id}`): MongodEffect {
  const command = { text } as unknown as MemberRequest['command'];
  const message = {
    kind: 'request',
    id,
    from: `${from}:27017`,
    to: `${to}:27017`,
    channel: 'heartbeat',
    command,
  } as const;
  return { type: 'send', message };
}

/** The answer to a request that a fake has received. */
export function answer({ id, from, to, channel }: MemberRequest): MongodEffect {
  return { type: 'send', message: { kind: 'response', id, from: to, to: from, channel, reply: { ok: 1 } } };
}

/** The request that an event brought, if it brought one. */
export function requestIn(event: MongodEvent): MemberRequest | undefined {
  return event.type === 'message' && event.message.kind === 'request' ? event.message : undefined;
}

function describe(event: MongodEvent): string {
  switch (event.type) {
    case 'message': {
      const { message } = event;
      if (message.kind === 'request') return (message.command as unknown as { text: string }).text;
      const { reply } = message;
      return `answer ${message.id}: ${reply.ok === 1 ? 'ok' : `${reply.code} ${reply.errmsg}`}`;
    }
    case 'timer':
      return `timer ${event.key}`;
    case 'command':
      return `command ${event.requestId}`;
    case 'diskDone':
      return `diskDone ${event.ticket}`;
    case 'diskFailed':
      return `diskFailed ${event.ticket} ${event.reason}`;
    default:
      return event.type;
  }
}
