import { fieldsOf, type LogLine } from './logLine.ts';
import type { Saying } from './memberLog.ts';

type Attr = LogLine['attr'];

/** By a client, or by a primary that hands over. */
const STEP_UP = 4615661;

/** Why a member stands for election, as ids have it. */
const STANDS: Readonly<Record<number, string>> = {
  4615652: 'it saw no primary within the election timeout',
  4615663: 'it is the only member',
  4615660: 'its priority is higher than that of the primary',
  [STEP_UP]: 'it was told to step up',
  4615662: 'it had newer data than the primary',
};

/** What a line says, by its id: texts change from release to release, ids do not. Undefined for one that says nothing of a set. */
export function sayingOf({ id, attr }: LogLine): Saying | undefined {
  const why = STANDS[id];
  return why === undefined ? READERS[id]?.(attr) : { kind: 'stands', why, isAsked: id === STEP_UP };
}

const READERS: Readonly<Record<number, (attr: Attr) => Saying | undefined>> = {
  21358: ({ oldState, newState }) => ({ kind: 'state', from: String(oldState), to: String(newState) }),
  21392: ({ config }) => ({ kind: 'config', config: fieldsOf(config) }),
  21215: ({ hostAndPort, newState }) => ({ kind: 'heard', from: String(hostAndPort), state: String(newState) }),
  21216: ({ hostAndPort, heartbeatMessage }) => ({
    kind: 'unheard',
    from: String(hostAndPort),
    down: true,
    why: String(heartbeatMessage),
  }),
  23974: ({ target, error }) => ({ kind: 'unheard', from: String(target), down: false, why: errorText(error) }),
  21400: heardFromSender,
  21401: heardFromSender,
  21438: () => ({ kind: 'asks', dryRun: true }),
  21444: () => ({ kind: 'asks', dryRun: false }),
  51799: ({ from, dryRun, term, vote }) =>
    vote === undefined
      ? undefined
      : { kind: 'answered', from: String(from), dryRun: dryRun === true, term: Number(term) },
  23980: ({ request }) => voteIn(String(typeof request === 'string' ? request : JSON.stringify(request))),
  21450: ({ term }) => ({ kind: 'wins', term: Number(term) }),
  21331: () => ({ kind: 'writable' }),
  21579: () => ({ kind: 'stepDownAsked' }),
  21580: () => ({ kind: 'stepDownDone' }),
  21352: ({ force }) => ({ kind: 'reconfigAsked', force: force === true }),
  21356: () => ({ kind: 'initiated' }),
  21164: () => ({ kind: 'initialSync' }),
  21612: rolledBack,
  5479200: ({ namespace, numDeleted }) => ({ kind: 'ttl', ns: String(namespace), deleted: Number(numDeleted) }),
  21819: () => ({ kind: 'frozen' }),
};

function heardFromSender({ senderHost }: Attr): Saying | undefined {
  return senderHost === undefined ? undefined : { kind: 'heard', from: String(senderHost) };
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { codeName, errmsg } = fieldsOf(error);
  return `${codeName ?? 'error'}: ${errmsg ?? ''}`;
}

/** The request stands in the line as text, in the shell's form or as JSON. */
function voteIn(request: string): Saying | undefined {
  const number = (name: string) => Number(new RegExp(`"?${name}"?: ?(-?\\d+)`).exec(request)?.[1] ?? Number.NaN);
  const [candidate, term] = [number('candidateIndex'), number('term')];
  if (Number.isNaN(candidate) || Number.isNaN(term)) return undefined;
  return { kind: 'votes', candidate, term, dryRun: /"?dryRun"?: ?true/.test(request) };
}

function rolledBack({ lastOptimeRolledBack }: Attr): Saying | undefined {
  const { ts, t } = fieldsOf(lastOptimeRolledBack);
  const secs = Number(fieldsOf(fieldsOf(ts).$timestamp).t);
  return Number.isFinite(secs) ? { kind: 'rolledBack', lastMs: secs * 1000, term: Number(t) } : undefined;
}
