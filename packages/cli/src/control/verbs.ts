/** What a field of a verb holds, for OpenAPI and for messages. */
export interface VerbField {
  readonly what: string;
  readonly type: 'string' | 'number' | 'boolean';
  readonly required?: true;
}

/** Something that a served set can be asked over HTTP. */
export interface Verb {
  readonly method: 'GET' | 'POST';
  /** A sentence for the docs. */
  readonly what: string;
  readonly fields: Readonly<Record<string, VerbField>>;
  /** The field that a body without names means: `curl -d 61s …/advance`. */
  readonly main?: string;
  /** Further names are allowed: the kinds of faults. */
  readonly takesFaults?: true;
  /** What it is as a command on `admin`; undefined where the room itself answers. */
  command?(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** The media type of its answer, where that is not JSON. */
  readonly answers?: string;
}

const within: VerbField = { type: 'string', what: 'give up after this much virtual time, such as 90s' };

/** Everything behind `serve --control`, by its path. The server, OpenAPI, the docs and `replsim control` are made of this table. */
export const VERBS = {
  fault: {
    method: 'POST',
    what: 'any fault of a scenario, as `replsimFault` takes it: `{"kill": "primary"}`; with `untilPrimary` it answers when there is a new primary',
    fields: {
      untilPrimary: {
        type: 'boolean',
        what: 'answer when a member accepts writes: another one, if the fault pauses or cuts off the primary',
      },
      within,
    },
    takesFaults: true,
    command: ({ untilPrimary, within, ...faults }) => ({
      replsimFault: faults,
      ...(untilPrimary !== undefined && { untilPrimary }),
      ...(within !== undefined && { within }),
    }),
  },
  advance: {
    method: 'POST',
    what: 'moves the clock; everything due until then happens now',
    fields: { by: { type: 'string', what: 'how far, such as 61s', required: true } },
    main: 'by',
    command: ({ by }) => ({ replsimAdvance: by }),
  },
  'until-primary': {
    method: 'POST',
    what: 'runs until a member accepts writes, and names it',
    fields: { within, other: { type: 'string', what: 'a member that does not count' } },
    command: (body) => ({ replsimUntilPrimary: 1, ...body }),
  },
  'until-ttl-pass': {
    method: 'POST',
    what: "runs until the primary's next TTL pass has ended",
    fields: { within },
    command: (body) => ({ replsimUntilTtlPass: 1, ...body }),
  },
  'step-down': {
    method: 'POST',
    what: 'the primary steps down, and another is elected',
    fields: {
      secs: { type: 'number', what: 'for how long it does not stand for election; 10 by default' },
      secondaryCatchUpPeriodSecs: {
        type: 'number',
        what: 'how long it waits for a secondary that has everything; 10 by default, or secs',
      },
      force: { type: 'boolean', what: 'step down even if no secondary has everything' },
    },
    command: (body) => ({ replsimStepDown: 1, ...body }),
  },
  speed: {
    method: 'POST',
    what: 'virtual seconds per second from now on; 0 holds time still between jumps',
    fields: { speed: { type: 'number', what: '0 or more', required: true } },
    main: 'speed',
    command: ({ speed }) => ({ replsimSpeed: speed }),
  },
  status: {
    method: 'GET',
    what: 'the members, the primary, the virtual time',
    fields: {},
    command: () => ({ replsimStatus: 1 }),
  },
  ledger: {
    method: 'GET',
    what: 'how many writes were acknowledged to clients, and which of them are lost',
    fields: {},
    command: () => ({ replsimLedger: 1 }),
  },
  why: {
    method: 'GET',
    what: 'why something is as it is, in the sentences of `replsim why`: `why?question=primary&subject=n1`',
    fields: {
      question: { type: 'string', what: 'primary, vote, state, write, data or document', required: true },
      subject: { type: 'string', what: 'a member, or a namespace' },
      id: { type: 'string', what: 'of document: its _id' },
      on: { type: 'string', what: 'of data and document: on which member' },
    },
  },
  record: {
    method: 'GET',
    what: 'what came from outside so far, as a scenario for `replsim run`',
    fields: {},
    answers: 'text/yaml; charset=utf-8',
  },
  events: {
    method: 'GET',
    what: 'the transcript as it grows, as server-sent events: a line each',
    fields: {},
    answers: 'text/event-stream',
  },
  'openapi.json': { method: 'GET', what: 'this table as an OpenAPI 3.1 document', fields: {} },
} as const satisfies Readonly<Record<string, Verb>>;

/** A path of the table. */
export type VerbName = keyof typeof VERBS;

/** The row of a path; undefined for one that there is not. */
export function verbOf(name: string): Verb | undefined {
  return Object.hasOwn(VERBS, name) ? VERBS[name as VerbName] : undefined;
}
