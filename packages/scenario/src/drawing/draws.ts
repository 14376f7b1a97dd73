import type { Random } from '@replsim/kernel';
import { HOLDABLE_PARTS } from '@replsim/protocol';
import type { FaultKind, MemberSpec } from '@replsim/replset';

/** A fault as a scenario has it: one key, and what stands there. */
export type DrawnFault = Readonly<Record<string, unknown>>;

/** What chance has chosen for one fault. */
export interface Drawn {
  /** Whom it befalls, and another member; the same where there is no other. */
  readonly one: string;
  readonly other: string;
  readonly sides: readonly (readonly string[])[];
  /** All members as the file has them. */
  readonly specs: readonly MemberSpec[];
  readonly random: Random;
  /** Whether others may be under way, so that it is not known what it meets. */
  readonly overlaps: boolean;
  /** By which answers to commands are told apart. */
  readonly number: number;
}

/** What a set must have, so that a fault does something to it. */
export type Needs = 'several members' | 'data' | 'clients' | 'a vote to spare' | 'spares';

/** How chance draws a kind of fault. */
export interface Draw {
  readonly needs: readonly Needs[];
  /** What it takes hold of, so that no two of the same are under way at once. */
  readonly holds: (drawn: Drawn) => string;
  readonly begin: (drawn: Drawn) => DrawnFault;
  /** One after the other; absent: it is over by itself. Drawn with the same choices, but what `begin` has drawn from `random`. */
  readonly end?: (drawn: Drawn, begun: DrawnFault) => readonly DrawnFault[];
  /** It takes so long to begin, or lasts so long by itself. */
  readonly leastMicros?: number;
  /** Its end takes so long. */
  readonly endMicros?: number;
  /** What it needs may be missing by then, such as a primary; the run goes on without it. */
  readonly mayFail?: true;
  /** What it takes hold of it has for itself, even where others overlap. */
  readonly alone?: true;
  /** Why it is drawn only where somebody asks for it by name. */
  readonly onlyAsked?: string;
  /** How the text of its step is told from others with the same key. */
  readonly text?: RegExp;
}

/** Why chance does not draw a kind. */
export interface NotDrawn {
  readonly never: string;
}

const processOf = ({ one }: Drawn) => `process of ${one}`;
const network = () => 'network';
const config = () => 'config';
const SECOND = 1_000_000;
/** A quiesce mode of 15 s, and what comes before it. */
const SHUTDOWN_MICROS = 30 * SECOND;
/** A client waits no longer for what it asked of a process that stops. */
const COMMAND_MICROS = SECOND;

const PRIORITIES = [0.5, 1, 2, 3];
const NO_NEEDS = [] as const;
const MEMBERS = ['several members'] as const;
const start = ({ one }: Drawn) => [{ start: one }];
const healed = () => [{ heal: 'all' }];
const asked = ({ one, number }: Drawn) => ({ on: one, as: `drawn${number}` });
const askedOfPrimary = (drawn: Drawn) => ({ ...asked(drawn), on: 'primary' });
/** Where it need not be one member, as what cannot be done is passed over. */
const askedOfLeader = (drawn: Drawn) => (drawn.overlaps ? askedOfPrimary(drawn) : asked(drawn));
const command = { needs: NO_NEEDS, holds: processOf, leastMicros: COMMAND_MICROS };
/** A primary is waited for so long, and then another config for a majority. */
const CONFIG_MICROS = 31 * SECOND;
/** Changes of who has a say, one at a time, so that it is known which majority is left. */
const ofConfig = {
  holds: config,
  alone: true,
  mayFail: true,
  leastMicros: CONFIG_MICROS,
  endMicros: CONFIG_MICROS,
} as const;

const processes = {
  kill: { needs: NO_NEEDS, holds: processOf, begin: ({ one }) => ({ kill: one }), end: start },
  shutdown: {
    needs: NO_NEEDS,
    holds: processOf,
    begin: ({ one }) => ({ shutdown: one }),
    end: start,
    leastMicros: SHUTDOWN_MICROS,
  },
  restart: {
    needs: NO_NEEDS,
    holds: processOf,
    begin: ({ one }) => ({ restart: one }),
    leastMicros: SHUTDOWN_MICROS,
  },
  pause: {
    needs: NO_NEEDS,
    holds: processOf,
    begin: ({ one }) => ({ pause: one }),
    end: ({ one }) => [{ resume: one }],
  },
  hold: {
    needs: NO_NEEDS,
    holds: processOf,
    begin: ({ one, random }) => ({ hold: { on: one, part: random.pick(HOLDABLE_PARTS) } }),
    end: (_, { hold }) => [{ release: hold }],
  },
  start: { never: 'it ends kill and shutdown' },
  resume: { never: 'it ends pause' },
  release: { never: 'it ends hold' },
  rolling: { never: 'it is several restarts, which are drawn, and waits for a set that is at work' },
} satisfies Partial<Record<FaultKind, Draw | NotDrawn>>;

const links = {
  partition: { needs: MEMBERS, holds: network, begin: ({ sides }) => ({ partition: sides }), end: healed },
  cut: {
    needs: MEMBERS,
    holds: network,
    begin: ({ one, other }) => ({ cut: { from: one, to: other } }),
    end: healed,
  },
  disconnect: { needs: MEMBERS, holds: network, begin: ({ one, other }) => ({ disconnect: { from: one, to: other } }) },
  link: {
    needs: MEMBERS,
    holds: network,
    begin: ({ one, other, random }) => ({
      link: {
        between: [one, other],
        ...random.pick([{ loss: 0.3 }, { latencyMs: [200, 900] }, { duplicate: 0.3, reorder: 0.3 }]),
      },
    }),
    end: healed,
  },
  clients: {
    needs: ['clients'],
    holds: ({ one }) => `clients of ${one}`,
    begin: ({ one, random }) => ({
      clients: { on: one, ...random.pick([{ cut: true }, { freeze: true }, { delayMs: [50, 800] }]) },
    }),
    end: ({ one }) => [{ clients: { on: one, heal: true } }],
  },
  heal: { never: 'it ends partition, cut and link' },
} satisfies Partial<Record<FaultKind, Draw | NotDrawn>>;

const machines = {
  clock: {
    needs: NO_NEEDS,
    holds: ({ one }) => `clock of ${one}`,
    begin: ({ one, random }) => ({
      clock: random.chance(0.5)
        ? { on: one, jump: random.pick(['-30s', '-2s', '2s', '30s']) }
        : { on: one, drift: random.pick([-50_000, -500, 500, 50_000]) },
    }),
    end: ({ one }, { clock }) => [{ clock: { on: one, ...clockMended(clock as ClockDrawn) } }],
  },
  disk: {
    needs: ['data'],
    holds: processOf,
    begin: ({ one, random }) => ({
      disk: { on: one, ...random.pick([{ latencyMs: 20 }, { latencyMs: 300 }, { full: true }]) },
    }),
    // Whether a process died of a full disk depends on what it had to write; a restart serves either.
    end: ({ one }, { disk }) =>
      'full' in (disk as object)
        ? [{ disk: { on: one, full: false } }, { restart: one }]
        : [{ disk: { on: one, latencyMs: 0 } }],
    endMicros: SHUTDOWN_MICROS,
  },
  cpu: {
    needs: ['data'],
    holds: ({ one }) => `processor of ${one}`,
    begin: ({ one, random }) => ({
      cpu: { on: one, ...random.pick([{ slowdown: 20 }, { slowdown: 200 }, { cores: 1 }]) },
    }),
    end: ({ one }) => [{ cpu: { on: one, slowdown: 1, cores: 0 } }],
  },
  truncateOplog: {
    needs: ['data'],
    holds: processOf,
    begin: ({ one, random }) => ({ truncateOplog: { on: one, olderThan: random.pick(['0s', '2s', '10s']) } }),
    leastMicros: 5 * SECOND,
  },
} satisfies Partial<Record<FaultKind, Draw | NotDrawn>>;

const LIES = 'a disk that lies voids what a majority has acknowledged';

/** A disk that is not what MongoDB relies on: no fault of the table, but one of its settings each, so that one can ask for it by name. */
const DISKS = {
  lostWrites: {
    needs: ['data'],
    holds: processOf,
    begin: ({ one }) => ({ disk: { on: one, lost: true } }),
    end: ({ one }) => [{ kill: one }, { disk: { on: one, lost: false } }, { start: one }],
    onlyAsked: LIES,
    text: /^disk:.*\blost: true/,
  },
  tornWrite: {
    needs: ['data'],
    holds: processOf,
    begin: ({ one }) => ({ disk: { on: one, torn: true } }),
    end: ({ one }) => [{ kill: one }, { start: one }],
    onlyAsked: LIES,
    text: /^disk:.*\btorn: true/,
  },
  misdirectedWrite: {
    needs: ['data'],
    holds: processOf,
    begin: ({ one }) => ({ disk: { on: one, misdirected: true } }),
    // Whether its process has died of it by then depends on checkpoints; a restart serves either.
    end: ({ one }) => [{ restart: { member: one, wipe: true } }, { disk: { on: one, misdirected: false } }],
    endMicros: SHUTDOWN_MICROS,
    onlyAsked: LIES,
    text: /^disk:.*\bmisdirected: true/,
  },
} satisfies Record<string, Draw>;

interface ClockDrawn {
  readonly jump?: string;
  readonly drift?: number;
}

function clockMended({ jump }: ClockDrawn): ClockDrawn {
  if (jump === undefined) return { drift: 0 };
  return { jump: jump.startsWith('-') ? jump.slice(1) : `-${jump}` };
}

/** Steps that are no faults of the table, but befall a set as one would: what an operator asks of it, and mongod's own fail points. */
const COMMANDS = {
  stepDown: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => ({
      stepDown: {
        ...askedOfLeader(drawn),
        stepDownSecs: drawn.random.int(5, 31),
        secondaryCatchUpPeriodSecs: drawn.random.int(0, 5),
        force: drawn.random.chance(0.5),
      },
    }),
  },
  stepUp: { ...command, needs: ['several members', 'data'], begin: (drawn) => ({ stepUp: asked(drawn) }) },
  freeze: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => ({ freeze: { ...asked(drawn), seconds: drawn.random.pick([2, 5, 20]) } }),
  },
  reconfig: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => ({
      reconfig: { ...askedOfLeader(drawn), update: { $set: { 'members.0.priority': drawn.random.pick(PRIORITIES) } } },
    }),
  },
  forceReconfig: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => ({
      reconfig: {
        ...asked(drawn),
        force: true,
        update: { $set: { 'members.0.priority': drawn.random.pick(PRIORITIES) } },
      },
    }),
    mayFail: true,
    onlyAsked: 'it voids what a majority has acknowledged',
    text: /^reconfig:.*\bforce: true/,
  },
  takeVote: {
    ...ofConfig,
    needs: ['several members', 'data', 'a vote to spare'],
    begin: (drawn) => voting(drawn, { votes: 0, priority: 0 }),
    end: (drawn) => [voting(drawn, configOf(drawn, drawn.one))],
    text: /^reconfig:.*\.votes/,
  },
  removeMember: {
    ...ofConfig,
    needs: ['several members', 'data', 'a vote to spare'],
    begin: (drawn) => ({ removeMember: { ...askedOfPrimary(drawn), name: drawn.one } }),
    end: (drawn) => [{ addMember: { ...askedOfPrimary(drawn), name: drawn.one, ...configOf(drawn, drawn.one) } }],
  },
  addMember: {
    ...ofConfig,
    needs: ['spares'],
    begin: (drawn) => ({ addMember: { ...askedOfPrimary(drawn), name: spareOf(drawn) } }),
    end: (drawn) => [{ removeMember: { ...askedOfPrimary(drawn), name: spareOf(drawn) } }],
  },
  maintenance: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => run(drawn, { replSetMaintenance: true }),
    end: (drawn) => [run(drawn, { replSetMaintenance: false })],
    text: /replSetMaintenance/,
  },
  syncFrom: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => run(drawn, { replSetSyncFrom: hostOf(drawn, drawn.other) }),
    text: /replSetSyncFrom/,
  },
  abortCatchUp: {
    ...command,
    needs: ['several members', 'data'],
    begin: (drawn) => run(drawn, { replSetAbortPrimaryCatchUp: 1 }),
    text: /replSetAbortPrimaryCatchUp/,
  },
  failPoint: {
    ...command,
    begin: (drawn) => ({
      failPoint: {
        ...asked(drawn),
        name: 'failCommand',
        mode: { times: drawn.random.int(1, 5) },
        data: {
          failCommands: drawn.random.pick([['insert', 'update'], ['find'], ['insert']]),
          errorCode: drawn.random.pick([91, 189, 10107, 11600]),
        },
      },
    }),
    needs: ['clients'],
  },
} satisfies Record<string, Draw>;

function run(drawn: Drawn, command: object): DrawnFault {
  return { run: { ...asked(drawn), db: 'admin', command } };
}

function specOf({ specs }: Drawn, name: string): MemberSpec {
  return specs.find((spec) => spec.name === name) ?? { name };
}

/** What the file says of a member in the config. */
function configOf(drawn: Drawn, name: string): NonNullable<MemberSpec['config']> {
  return specOf(drawn, name).config ?? {};
}

function hostOf(drawn: Drawn, name: string): string {
  return specOf(drawn, name).host ?? `${name}:27017`;
}

function spareOf({ specs, one }: Drawn): string {
  return specs.find(({ spare }) => spare === true)?.name ?? one;
}

function voting(drawn: Drawn, { votes = 1, priority = 1 }: { votes?: number; priority?: number }): DrawnFault {
  const at = drawn.specs
    .filter(({ spare, standalone }) => !spare && !standalone)
    .findIndex(({ name }) => name === drawn.one);
  const update = { $set: { [`members.${at}.votes`]: votes, [`members.${at}.priority`]: priority } };
  return { reconfig: { ...askedOfPrimary(drawn), update } };
}

/** Every kind of fault of the table, and those commands: how it is drawn, or why it is not. */
export const DRAWS: Readonly<Record<FaultKind | keyof typeof DISKS | keyof typeof COMMANDS, Draw | NotDrawn>> = {
  ...processes,
  ...links,
  ...machines,
  ...DISKS,
  ...COMMANDS,
};

/** How a kind is drawn; undefined for one that is not, or that there is not. */
export function drawOf(kind: string): Draw | undefined {
  const row = Object.hasOwn(DRAWS, kind) ? DRAWS[kind as keyof typeof DRAWS] : undefined;
  return row !== undefined && 'begin' in row ? row : undefined;
}

/** The kinds that chance can draw. */
export const DRAWN_KINDS: readonly string[] = Object.keys(DRAWS).filter((kind) => drawOf(kind) !== undefined);

/** Those that it draws where nobody says which. */
export const USUAL_KINDS: readonly string[] = DRAWN_KINDS.filter((kind) => drawOf(kind)?.onlyAsked === undefined);

/** Which kind was drawn, by the text of the step that it became. */
export function drawnKindOf(text: string): string {
  return DRAWN_KINDS.find((kind) => drawOf(kind)?.text?.test(text)) ?? /^\w+/.exec(text)?.[0] ?? '';
}
